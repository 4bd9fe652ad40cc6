// What a caller adds to the name of a file: an accountant keeps those of several shops and months
// side by side.

import { Type } from 'typebox'

const label = (description: string) => ({
  file_label: Type.Optional(
    Type.String({
      pattern: '^[A-Za-z0-9._-]{1,120}$',
      description,
      examples: ['boutique-awa-live-2026-11'],
    }),
  ),
})

/** Of a file of rows, whose name says what it holds alone. */
export const labelQuery = label(
  'Added to the name of the file: `boutique-awa-live-2026-11` makes of `movements.csv` ' +
    '`movements-boutique-awa-live-2026-11.csv`.',
)

/** Of a report, whose name says its days and mode where its caller says nothing. */
export const reportLabelQuery = label(
  'In the name of the file in place of its days and mode: `boutique-awa-live-2026-11` makes ' +
    '`journal-boutique-awa-live-2026-11.csv`.',
)

export const namedWith = (filename: string, label: string | undefined): string =>
  label === undefined ? filename : filename.replace(/(?=\.csv$)/, `-${label}`)
