/* blockdct: the properties of targets, views and reports.
 *
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#ifndef GST_BLOCKDCT_PROPERTIES_REPORT_H
#define GST_BLOCKDCT_PROPERTIES_REPORT_H

#include "gstblockdctprivate.h"

G_BEGIN_DECLS

void gst_blockdct_install_reports (GObjectClass * klass);

G_END_DECLS
#endif
