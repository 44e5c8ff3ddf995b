/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "inspector.h"
#include "chart.h"

#include <math.h>

/* The histogram counts larger values at its edges. */
#define MOST 12

typedef struct
{
  const gchar *name;            /* of the message's array */
  gboolean bright;              /* unsigned: from dark to bright */
} Array;

/* The last array is computed here. */
#define N_ARRAYS 5
static const Array arrays[N_ARRAYS] = {
  {"levels", FALSE}, {"coefficients", FALSE}, {"samples", TRUE},
  {"reconstruction", TRUE}, {"error", FALSE}
};

static const gchar *const planes[][2] = { {"Y", ""}, {"U", "-u"}, {"V", "-v"} };

struct _PreviewInspector
{
  GtkBox parent;
  GtkWidget *title, *plane, *array, *table, *histogram;
  GstStructure *block;          /* or NULL */
  gint size;
  gdouble largest;              /* absolute value of the array */
};

G_DEFINE_FINAL_TYPE (PreviewInspector, preview_inspector, GTK_TYPE_BOX);

/* A field of the chosen plane; NULL: it is missing. */
static const GValue *
get_value (PreviewInspector * self, const gchar * name)
{
  gint plane = MAX (gtk_combo_box_get_active (GTK_COMBO_BOX (self->plane)), 0);
  g_autofree gchar *field = g_strconcat (name, planes[plane][1], NULL);

  return self->block == NULL ? NULL
      : gst_structure_get_value (self->block, field);
}

static gdouble
get_number (PreviewInspector * self, const gchar * name, guint i)
{
  const GValue *array = get_value (self, name);
  const GValue *value = array == NULL || i >= gst_value_array_get_size (array)
      ? NULL : gst_value_array_get_value (array, i);

  return value == NULL ? 0 : G_VALUE_HOLDS_INT (value)
      ? g_value_get_int (value) : g_value_get_double (value);
}

static gint
get_int (PreviewInspector * self, const gchar * name)
{
  const GValue *value = get_value (self, name);

  return value == NULL ? 0 : g_value_get_int (value);
}

static const Array *
get_array (PreviewInspector * self)
{
  return &arrays[MAX (gtk_combo_box_get_active (GTK_COMBO_BOX (self->array)),
          0)];
}

static gdouble
get_cell (PreviewInspector * self, gint i)
{
  const Array *array = get_array (self);

  return array == &arrays[N_ARRAYS - 1]
      ? get_number (self, "reconstruction", i) - get_number (self, "samples", i)
      : get_number (self, array->name, i);
}

/* The colour of a cell: blue below 0, white at 0, orange above, on a
 * logarithmic scale; or grey. */
static GdkRGBA
get_ground (PreviewInspector * self, gdouble v)
{
  const gdouble most = MAX (self->largest, 1);
  const gdouble grey = fabs (v) / most, part = log1p (fabs (v)) / log1p (most);
  const GdkRGBA bright = { grey, grey, grey, 1 };
  const GdkRGBA blue = { 1 - 0.6 * part, 1 - 0.3 * part, 1, 1 };
  const GdkRGBA orange = { 1, 1 - 0.4 * part, 1 - 0.8 * part, 1 };

  return get_array (self)->bright ? bright : v < 0 ? blue : orange;
}

static void
fill_cell (GtkTreeViewColumn * column, GtkCellRenderer * cell,
    GtkTreeModel * model, GtkTreeIter * row, gpointer data)
{
  PreviewInspector *self = data;
  gint u = GPOINTER_TO_INT (g_object_get_data (G_OBJECT (column), "u")), v;
  GdkRGBA ground;
  gdouble value;
  g_autofree gchar *text = NULL;

  gtk_tree_model_get (model, row, 0, &v, -1);
  value = get_cell (self, v * self->size + u);
  text = value == rint (value) ? g_strdup_printf ("%.0f", value)
      : g_strdup_printf ("%.1f", value);
  ground = get_ground (self, value);
  g_object_set (cell, "text", text, "cell-background-rgba", &ground,
      "foreground", ground.green < 0.5 ? "white" : "black", NULL);
}

static void
make_table (PreviewInspector * self)
{
  GtkTreeView *table = GTK_TREE_VIEW (self->table);
  g_autoptr (GtkListStore) rows = gtk_list_store_new (1, G_TYPE_INT);
  GtkTreeViewColumn *column;

  while ((column = gtk_tree_view_get_column (table, 0)) != NULL)
    gtk_tree_view_remove_column (table, column);
  for (gint u = 0; u < self->size; u++) {
    GtkCellRenderer *cell = gtk_cell_renderer_text_new ();

    g_object_set (cell, "xalign", 1.0, "xpad", 3, "ypad", 0, NULL);
    column = gtk_tree_view_column_new_with_attributes (NULL, cell, NULL);
    g_object_set_data (G_OBJECT (column), "u", GINT_TO_POINTER (u));
    gtk_tree_view_column_set_cell_data_func (column, cell, fill_cell, self,
        NULL);
    gtk_tree_view_append_column (table, column);
  }
  /* The last column takes the remaining room. */
  gtk_tree_view_append_column (table, gtk_tree_view_column_new ());
  for (gint v = 0; v < self->size; v++)
    gtk_list_store_insert_with_values (rows, NULL, -1, 0, v, -1);
  gtk_tree_view_set_model (table, GTK_TREE_MODEL (rows));
}

static void
show_title (PreviewInspector * self)
{
  g_autofree gchar *text = g_strdup_printf ("%s of %dx%d at (%d, %d)",
      gst_structure_get_string (self->block, "transform"), self->size,
      self->size, get_int (self, "x"), get_int (self, "y"));

  gtk_label_set_text (GTK_LABEL (self->title), text);
}

/* Columns are only remade when the size of blocks changes, as 64 of them take
 * long.
 */
static void
show_array (PreviewInspector * self)
{
  const gint size = get_int (self, "size"), n = size * size;
  const gboolean same = size == self->size;

  if (self->block == NULL)
    return;
  self->size = size;
  self->largest = 0;
  for (gint i = 0; i < n; i++)
    self->largest = MAX (self->largest, fabs (get_cell (self, i)));
  if (same) {
    gtk_tree_view_columns_autosize (GTK_TREE_VIEW (self->table));
    gtk_widget_queue_draw (self->table);
  } else {
    make_table (self);
  }
  show_title (self);
  gtk_widget_queue_draw (self->histogram);
}

static guint
count_levels (PreviewInspector * self, guint count[2 * MOST + 1])
{
  guint most = 1;

  for (gint i = 0; i < self->size * self->size; i++) {
    gint level = get_number (self, "levels", i);
    guint n = ++count[CLAMP (level, -MOST, MOST) + MOST];

    most = MAX (most, n);
  }
  return most;
}

/* On a logarithmic scale, as nearly all levels are 0. */
static gboolean
draw_histogram (GtkWidget * area, cairo_t * cr, PreviewInspector * self)
{
  gdouble width = gtk_widget_get_allocated_width (area) / (2. * MOST + 1);
  gdouble height = gtk_widget_get_allocated_height (area) - 34;
  guint count[2 * MOST + 1] = { 0 };
  guint most = count_levels (self, count);
  g_autofree gchar *text = g_strdup_printf ("%u of %d are 0", count[MOST],
      self->size * self->size);

  cairo_set_source_rgb (cr, 0.1, 0.1, 0.1);
  cairo_paint (cr);
  preview_chart_set_colour (cr, 0);
  for (guint i = 0; i < G_N_ELEMENTS (count); i++) {
    gdouble high = height * log1p (count[i]) / log1p (most);

    cairo_rectangle (cr, i * width + 1, 17 + height - high, width - 2, high);
  }
  cairo_fill (cr);
  cairo_set_source_rgb (cr, 0.8, 0.8, 0.8);
  preview_chart_write (area, cr, 2, 0, FALSE, text);
  preview_chart_write (area, cr, 2, height + 17, FALSE, "-12");
  preview_chart_write (area, cr, MOST * width, height + 17, FALSE, "0");
  preview_chart_write (area, cr, (2 * MOST + 1) * width - 2, height + 17, TRUE,
      "12");
  return FALSE;
}

static GtkWidget *
add_choice (PreviewInspector * self, GtkWidget * box, const gchar * name)
{
  GtkWidget *choice = gtk_combo_box_text_new ();

  gtk_widget_set_name (choice, name);
  gtk_widget_set_focus_on_click (choice, FALSE);
  atk_object_set_name (gtk_widget_get_accessible (choice), name);
  g_signal_connect_swapped (choice, "changed", G_CALLBACK (show_array), self);
  gtk_box_pack_start (GTK_BOX (box), choice, FALSE, FALSE, 0);
  return choice;
}

static void
finalize (GObject * object)
{
  g_clear_pointer (&PREVIEW_INSPECTOR (object)->block, gst_structure_free);
  G_OBJECT_CLASS (preview_inspector_parent_class)->finalize (object);
}

static void
preview_inspector_class_init (PreviewInspectorClass * klass)
{
  G_OBJECT_CLASS (klass)->finalize = finalize;
}

static void
preview_inspector_init (PreviewInspector * self)
{
  GtkWidget *left = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *scrolled = gtk_scrolled_window_new (NULL, NULL);

  self->title = gtk_label_new ("Click on a block.");
  gtk_label_set_line_wrap (GTK_LABEL (self->title), TRUE);
  gtk_label_set_max_width_chars (GTK_LABEL (self->title), 16);
  gtk_box_pack_start (GTK_BOX (left), self->title, FALSE, FALSE, 0);
  self->plane = add_choice (self, left, "plane");
  self->array = add_choice (self, left, "array");
  for (guint i = 0; i < N_ARRAYS; i++)
    gtk_combo_box_text_append_text (GTK_COMBO_BOX_TEXT (self->array),
        arrays[i].name);
  self->histogram = gtk_drawing_area_new ();
  gtk_widget_set_size_request (self->histogram, -1, 50);
  gtk_widget_set_tooltip_text (self->histogram,
      "How many of the block's levels have which value");
  g_signal_connect (self->histogram, "draw", G_CALLBACK (draw_histogram),
      self);
  gtk_box_pack_start (GTK_BOX (left), self->histogram, TRUE, TRUE, 0);
  self->table = gtk_tree_view_new ();
  gtk_widget_set_name (self->table, "table");
  gtk_tree_view_set_headers_visible (GTK_TREE_VIEW (self->table), FALSE);
  gtk_tree_selection_set_mode (gtk_tree_view_get_selection (GTK_TREE_VIEW
          (self->table)), GTK_SELECTION_NONE);
  atk_object_set_name (gtk_widget_get_accessible (self->table), "block");
  gtk_container_add (GTK_CONTAINER (scrolled), self->table);
  gtk_box_pack_start (GTK_BOX (self), left, FALSE, FALSE, 4);
  gtk_box_pack_start (GTK_BOX (self), scrolled, TRUE, TRUE, 4);
  gtk_combo_box_set_active (GTK_COMBO_BOX (self->array), 0);
}

GtkWidget *
preview_inspector_new (void)
{
  return g_object_new (PREVIEW_TYPE_INSPECTOR, NULL);
}

/* Planes that the format lacks, or that were outside of the pointer, are
 * missing. */
void
preview_inspector_show (PreviewInspector * self, const GstStructure * block)
{
  GtkComboBoxText *box = GTK_COMBO_BOX_TEXT (self->plane);
  gint plane = gtk_combo_box_get_active (GTK_COMBO_BOX (box));
  gint n = 0;

  g_clear_pointer (&self->block, gst_structure_free);
  gtk_combo_box_text_remove_all (box);
  for (guint i = 0; i < G_N_ELEMENTS (planes); i++) {
    g_autofree gchar *field = g_strconcat ("levels", planes[i][1], NULL);

    if (gst_structure_has_field (block, field)) {
      gtk_combo_box_text_append_text (box, planes[i][0]);
      n++;
    }
  }
  self->block = gst_structure_copy (block);
  gtk_combo_box_set_active (GTK_COMBO_BOX (box), CLAMP (plane, 0, n - 1));
}
