// What a dialect remembers in its file: a line of JSON for each change.

import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/**
 * The lines of a file, none where there is no file. The last one may have been cut, by a kill or a
 * full disk: it had not been answered yet. It goes from the file too, because what is written next
 * would stand behind it and be lost with it.
 */
export function linesOf<Line>(file: string): Line[] {
  if (!existsSync(file)) return []
  const text = readFileSync(file, 'utf8')
  const texts = text.split('\n').filter(Boolean)
  const lines = texts.flatMap((one, at): Line[] => {
    try {
      return [JSON.parse(one)]
    } catch {
      if (at === texts.length - 1) return []
      throw new Error(`${file}: line ${at + 1} is unreadable`)
    }
  })
  const whole = texts.slice(0, lines.length).map((one) => `${one}\n`)
  if (whole.join('') !== text) {
    writeFileSync(`${file}.new`, whole.join(''), { mode: 0o600 })
    renameSync(`${file}.new`, file)
  }
  return lines
}
