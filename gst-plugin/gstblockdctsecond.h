/* blockdct: the second set of settings, B, which a frame is made with beside A,
 * its own.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_SECOND_H
#define GST_BLOCKDCT_SECOND_H

#include <glib.h>
#include "dct/job.h"

G_BEGIN_DECLS

/** What `b-transform`, `b-quality` and `b-qp` are set to. */
typedef struct
{
  gint transform;               /* 1 + a BdctTransform; 0: there is no B */
  gint quality, qp;
} GstBlockDctSecond;

/** The parameters of B, which there is: but for these three they are A's. */
static inline BdctParams
gst_blockdct_second_params (const GstBlockDctSecond * second,
    const BdctParams * a)
{
  BdctParams params = *a;

  params.transform = second->transform - 1;
  params.quality = second->quality;
  params.qp = second->qp;
  return params;
}

G_END_DECLS
#endif
