/* blockdct tests: what holds of a case whatever the transform.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef TESTS_DIFFERENTIAL_LAWS_H
#define TESTS_DIFFERENTIAL_LAWS_H

#include "run.h"

/* Whether what an engine made of a scene agrees with itself, and with what it
 * makes of the same in other ways; if not, `text` says where. */
bool laws_hold (const Scene *scene, BdctEngine *engine, const Outcome *own,
    char text[DIFFERENCE_TEXT]);

#endif
