/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cabac.h"

/* initValue of each context (H.265 Tables 9-5 to 9-37, initType 0). The coded
 * block flags have the value of a tree's second level. */
static const uint8_t init_value[BDCT_CABAC_CONTEXTS] = {
  [BDCT_CABAC_LUMA_CBF] = 111,
  [BDCT_CABAC_LUMA_LAST_X] = 110, 110, 124, 125, 140, 153, 125, 127, 140, 109,
  111, 143, 127, 111, 79,
  [BDCT_CABAC_LUMA_LAST_Y] = 110, 110, 124, 125, 140, 153, 125, 127, 140, 109,
  111, 143, 127, 111, 79,
  [BDCT_CABAC_LUMA_SUB_BLOCK] = 91, 171,
  [BDCT_CABAC_LUMA_SIG] = 111, 111, 125, 110, 110, 94, 124, 108, 124, 107, 125,
  141, 179, 153, 125, 107, 125, 141, 179, 153, 125, 107, 125, 141, 179, 153,
  125,
  [BDCT_CABAC_LUMA_GREATER1] = 140, 92, 137, 138, 140, 152, 138, 139, 153, 74,
  149, 92, 139, 107, 122, 152,
  [BDCT_CABAC_LUMA_GREATER2] = 138, 153, 136, 167,
  [BDCT_CABAC_LUMA_SPLIT] = 153, 138, 138,
  [BDCT_CABAC_CHROMA_CBF] = 138,
  [BDCT_CABAC_CHROMA_LAST_X] = 108, 123, 63,
  [BDCT_CABAC_CHROMA_LAST_Y] = 108, 123, 63,
  [BDCT_CABAC_CHROMA_SUB_BLOCK] = 134, 141,
  [BDCT_CABAC_CHROMA_SIG] = 140, 139, 182, 182, 152, 136, 152, 136, 153, 136,
  139, 111, 136, 139, 111,
  [BDCT_CABAC_CHROMA_GREATER1] = 140, 179, 166, 182, 140, 227, 122, 197,
  [BDCT_CABAC_CHROMA_GREATER2] = 152, 152,
};

/* The state at the start of a slice (clause 9.3.2.2). */
static int
first_state (int value, int qp)
{
  const int slope = (value >> 4) * 5 - 45, offset = ((value & 15) << 3) - 16;
  int state = ((slope * qp) >> 4) + offset;

  state = state < 1 ? 1 : state > 126 ? 126 : state;
  return state <= 63 ? 2 * (63 - state) : 2 * (state - 64) + 1;
}

void
bdct_cabac_costs (BdctCabacCosts * costs, int slice_qp)
{
  for (int k = 0; k < BDCT_CABAC_CONTEXTS; k++) {
    const int state = first_state (init_value[k], slice_qp);

    for (int bin = 0; bin < 2; bin++)
      costs->bin[k][bin] = bdct_cabac_step[state ^ bin] >> 8;
  }
}
