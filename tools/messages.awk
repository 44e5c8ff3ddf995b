# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Reads what `gst-launch-1.0 -m` prints and shows blockdct's messages as a
# table. With middle=FILE it also writes the running time of the frame in the middle
# there, or of the interval.

function field (name,    rest) {
  if (!match ($0, "[ ,]" name "=\\([a-zA-Z0-9]*\\)"))
    return ""
  rest = substr ($0, RSTART + RLENGTH)
  if (substr (rest, 1, 1) == "\"") {
    rest = substr (rest, 2)
    sub (/".*/, "", rest)
    gsub (/\\/, "", rest)
  } else {
    sub (/[,;].*/, "", rest)
  }
  return rest
}

function number (text, format) {
  return text == "" ? "-" : text ~ /inf/ ? "inf" : sprintf (format, text)
}

function decibels (name) {
  return number (field (name), "%.2f")
}

# An identical frame makes the mean infinite, which tells nothing of the others.
function mean () {
  return decibels ("psnr-mean") != "inf" ? decibels ("psnr-mean") \
      : decibels ("psnr-mean-capped") " (identical frames capped)"
}

# Of R, G and B together, which other frames have not.
function rgb (text) {
  return field ("psnr-rgb") != "" ? text : ""
}

function row (label) {
  printf "%-12s %9.3f %8s %8s %8s %8s%s %8.1f%%\n", label,
      field ("timestamp") / 1e9, decibels ("psnr"), decibels ("psnr-y"),
      decibels ("psnr-u"), decibels ("psnr-v"),
      rgb (sprintf (" %8s", decibels ("psnr-rgb"))), 100 * field ("nonzero")
}

/^WARNING/ || /^Additional debug info/ { print; next }

!/ \(element\): blockdct, / { next }

!head++ {
  printf "transform %s, %s, on %s\n", field ("transform"),
      field ("qp") != "" ? "qp " field ("qp") : "quality " field ("quality"),
      field ("backend")
  printf "%-12s %9s %8s %8s %8s %8s%s %9s\n", "frame", "time (s)", "PSNR (dB)",
      "Y", "U", "V", rgb (sprintf (" %8s", "R, G, B")), "nonzero"
}

{ type = field ("type") }

type != "pooled" { times[++rows] = field ("running-time") }

type == "frame" { row (field ("index")) }

type == "interval" {
  first = field ("index")
  row (first " to " first + field ("frames") - 1)
}

type == "pooled" {
  printf "\nall %d frames: PSNR %s dB (global%s); by frame: mean %s, " \
      "lowest %s, highest %s; %d dropped\n", field ("frames"),
      decibels ("psnr"), rgb (", of Y, U and V; of R, G and B " \
      decibels ("psnr-rgb") " dB"), mean (), decibels ("psnr-min"), decibels ("psnr-max"),
      field ("dropped")
  if (middle)
    print times[int (rows / 2) + 1] > middle
}
