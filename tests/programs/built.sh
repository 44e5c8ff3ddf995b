# shellcheck shell=bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# tools/setup.sh for tests: the build and all that it takes are there.
built=$(readlink -f "${BASH_SOURCE[0]}")
# shellcheck source=tools/setup.sh
. "${built%/tests/programs/*}/tools/setup.sh"
need () { :; }
cuda_options () { :; }
build_plugin () { :; }
