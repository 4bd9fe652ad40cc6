// CSV that spreadsheet programs open right (RFC 4180): a byte order mark says that it is UTF-8, and
// a text that a program would take for a formula is marked as text (OWASP, "CSV Injection").

export const csv_type = 'text/csv; charset=utf-8'

/** Before the first line. */
export const byte_order_mark = '\uFEFF'

export const csvText = (rows: readonly (readonly string[])[]): string =>
  byte_order_mark + rows.map(csvLine).join('')

export const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\r\n`

function csvCell(text: string): string {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain
}
