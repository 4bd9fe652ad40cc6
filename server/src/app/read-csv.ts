// Reading our own seed files: comma-separated, a header line, quotes around fields with commas in
// them, doubled quotes for one. A line with another number of fields is a mistake and is named.

export type CsvRow = Readonly<{
  /** The line's number in the file, for messages. */
  line: number
  /** The field of this column; a column that the header does not have is a mistake. */
  text(column: string): string
}>

/** The rows below the header; lines without anything in them are left out. */
export function readCsv(text: string): CsvRow[] {
  const [head, ...lines] = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  const columns = splitLine(head ?? '')
  return lines.flatMap((source, at) => {
    if (source.trim() === '') return []
    const line = at + 2
    const fields = splitLine(source)
    if (fields.length !== columns.length) {
      throw new Error(`line ${line} has ${fields.length} fields, the header ${columns.length}`)
    }
    return [{ line, text: (column: string) => fieldOf(fields, columns.indexOf(column), column) }]
  })
}

function fieldOf(fields: readonly string[], at: number, column: string): string {
  const field = fields[at]
  if (field === undefined) throw new Error(`there is no column ${column}`)
  return field
}

/** Fields do not span lines. */
function splitLine(line: string): string[] {
  const fields: string[] = []
  const field = /\s*(?:"((?:[^"]|"")*)"|([^",]*))\s*(,|$)/y
  for (;;) {
    const found = field.exec(line)
    if (found === null) throw new Error(`a quote stands open or inside a field: ${line}`)
    const [, quoted, plain = '', end] = found
    fields.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'))
    if (end === '') return fields
  }
}
