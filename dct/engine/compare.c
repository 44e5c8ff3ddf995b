/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "compare.h"

#include <stdio.h>
#include <string.h>
#include "dct/metrics/metrics.h"

static const char component_names[BDCT_MAX_COMPONENTS] = { 'Y', 'U', 'V' };

static const char *
chroma_name (BdctChromaFormat chroma)
{
  static const char *const names[] = {
    [BDCT_CHROMA_400] = "4:0:0",[BDCT_CHROMA_420] = "4:2:0",
    [BDCT_CHROMA_422] = "4:2:2",[BDCT_CHROMA_444] = "4:4:4",
    [BDCT_CHROMA_440] = "4:4:0",
  };

  return (unsigned) chroma < sizeof names / sizeof names[0] ? names[chroma]
      : "?";
}

/* The plane with a component, and its index there; NULL if there is none. */
static const BdctPlaneLayout *
find_component (const BdctLayout * layout, BdctComponent component, int *p,
    int *i)
{
  *i = 0;
  for (*p = 0; *p < layout->n_planes; ++*p)
    for (*i = 0; *i < layout->plane[*p].interleave; ++*i)
      if (layout->plane[*p].component[*i] == component)
        return &layout->plane[*p];
  return NULL;
}

/* Whether a picture in layout `own` can be compared in `layout`. */
static bool
check_layout (const BdctLayout * own, const BdctLayout * layout,
    const char *what, BdctError * error)
{
  int p, i;

  if ((own->rgb.n_planes > 0) != (layout->rgb.n_planes > 0))
    return bdct_error (error, "%s has %s, but the engine's layout has %s; put "
        "a converter such as videoconvert in front of it", what,
        own->rgb.n_planes > 0 ? "R, G and B" : "Y, U and V",
        own->rgb.n_planes > 0 ? "Y, U and V" : "R, G and B");
  if (own->chroma != layout->chroma)
    return bdct_error (error, "%s is %s, but the engine's layout is %s; put a "
        "converter such as videoconvert in front of it", what,
        chroma_name (own->chroma), chroma_name (layout->chroma));
  if (own->depth != layout->depth)
    return bdct_error (error, "%s has a depth of %d, but the engine's layout "
        "has %d; put a converter such as videoconvert in front of it", what,
        own->depth, layout->depth);
  for (int c = 0; c < bdct_layout_components (layout); c++) {
    const BdctPlaneLayout *is = find_component (own, c, &p, &i);
    const BdctPlaneLayout *wanted = find_component (layout, c, &p, &i);

    if (is == NULL)
      return bdct_error (error, "no plane of %s has %c", what,
          component_names[c]);
    if (is->width != wanted->width || is->height != wanted->height)
      return bdct_error (error, "%c of %s is %d x %d, but %d x %d in the "
          "engine's layout; put a converter such as videoscale in front of it",
          component_names[c], what, is->width, is->height, wanted->width,
          wanted->height);
  }
  if (memcmp (&own->rgb, &layout->rgb, sizeof own->rgb) != 0)
    return bdct_error (error, "%s has R, G and B at other bytes of a pixel "
        "than the engine's layout; put a converter such as videoconvert in "
        "front of it", what);
  return true;
}

static bool
check_view (const BdctComparison * comparison, BdctError * error)
{
  const BdctView *view = comparison->view;
  const int sides[2] = { comparison->left, comparison->right };

  if (!bdct_view_is_of_two (view->mode))
    return bdct_error (error, "view '%s' does not show two pictures; wipe, "
        "side-by-side, stacked, flicker, difference, error-map, ssim-map and "
        "hvs-map do", bdct_view_info (view->mode) != NULL
        ? bdct_view_info (view->mode)->name : "?");
  if (view->grid)
    return bdct_error (error, "a comparison has no blocks, and so no grid");
  for (int i = 0; i < 2; i++)
    if (sides[i] < -1 || sides[i] >= comparison->n_distorted)
      return bdct_error (error, "the view's %s picture %d is outside -1 (the "
          "reference) to %d", i == 0 ? "left" : "right", sides[i],
          comparison->n_distorted - 1);
  if (comparison->dst.data[0] == NULL)
    return bdct_error (error, "a view needs an image to draw on");
  return true;
}

bool
bdct_comparison_check (const BdctComparison * comparison,
    const BdctLayout * layout, BdctError * error)
{
  const int n = comparison->n_distorted;
  char what[32];

  if (bdct_layout_pictures (layout) > 1)
    return bdct_error (error, "stacks of pictures cannot be compared");
  if (n < 1 || n > BDCT_MAX_DISTORTED)
    return bdct_error (error, "%d distorted pictures are outside 1 to %d", n,
        BDCT_MAX_DISTORTED);
  for (int i = -1; i < n; i++) {
    const BdctLayout *own = bdct_comparison_picture (comparison, i)->layout;

    snprintf (what, sizeof what, i < 0 ? "the reference"
        : "distorted picture %d", i);
    if (own != NULL && !check_layout (own, layout, what, error))
      return false;
  }
  return bdct_metrics_check (comparison->metrics, layout, error)
      && (comparison->view == NULL || check_view (comparison, error));
}

void
bdct_comparison_job (BdctJob * job, const BdctLayout * layout)
{
  static const BdctParams params = BDCT_PARAMS_DEFAULT;
  BdctError error;

  bdct_job_init (job, &params, layout, &error);
}

/* The picture's plane that can serve as plane `p` of the layout; -1: none. */
static int
find_plane (const BdctLayout * own, const BdctLayout * layout, int p)
{
  const BdctPlaneLayout *wanted = &layout->plane[p];

  for (int q = 0; q < own->n_planes; q++) {
    const BdctPlaneLayout *is = &own->plane[q];

    if (is->interleave == wanted->interleave && is->shift == wanted->shift
        && is->component[0] == wanted->component[0]
        && (is->interleave == 1 || is->component[1] == wanted->component[1]))
      return q;
  }
  return -1;
}

bool
bdct_picture_arrange (const BdctPicture * picture, const BdctLayout * layout,
    BdctImage * image)
{
  bool packs = false;

  *image = picture->image;
  if (picture->layout == NULL || layout->rgb.n_planes > 0)
    return false;
  for (int p = 0; p < layout->n_planes; p++) {
    const int q = find_plane (picture->layout, layout, p);

    image->data[p] = q < 0 ? NULL : picture->image.data[q];
    image->stride[p] = q < 0 ? 0 : picture->image.stride[q];
    packs = packs || q < 0;
  }
  return packs;
}

BdctScattered
bdct_picture_component (const BdctPicture * picture,
    const BdctLayout * layout, BdctComponent component)
{
  const BdctLayout *own = picture->layout != NULL ? picture->layout : layout;
  int p, i;
  const BdctPlaneLayout *plane = find_component (own, component, &p, &i);

  return (BdctScattered) {
    .samples = bdct_image_samples (&picture->image, own, p, i),
    .step = plane->interleave,
    .shift = plane->shift,
  };
}
