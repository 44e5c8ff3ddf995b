/* blockdct: one-dimensional transforms as straight-line code, for the bases
 * that are no matrix because something is rounded inside: once for the CPU's
 * vectors of columns and for CUDA.
 *
 * For a basis ID of N samples, declared as a FLOW in transforms.def, there are
 *   forward_ID (y, x)   N samples to N coefficients
 *   inverse_ID (y, x)   and back
 * The includer defines BDCT_FLOW(name), the function's name for this value
 * type, BDCT_VALUE and BDCT_INLINE as for pass.h, and may include this file
 * again after redefining them.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
