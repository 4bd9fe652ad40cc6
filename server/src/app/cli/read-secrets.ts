// Reads secrets: asked one by one where a person sits, `key=value` lines where they are piped in.
// What is typed is not shown.

import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import type { SettingSpec } from '../../gateways/adapter.ts'
import type { Locale, Text } from '../../platform/errors.ts'
import { type CliIo, lineIn } from './session.ts'

type Secrets = Readonly<Record<string, string>>

/** The given ones, by key; one that was left empty is not there. */
export async function readSecrets(
  io: CliIo,
  specs: readonly Pick<SettingSpec, 'key' | 'help'>[],
  language: Locale,
): Promise<Secrets> {
  const input = io.input ?? process.stdin
  const isTyped = 'isTTY' in input && input.isTTY === true
  return isTyped ? askEach({ ...io, input }, specs, language) : readLines(await readAll(input))
}

function readLines(text: string): Secrets {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== '')
  return Object.fromEntries(
    lines.map((line, at) => {
      const eq = line.indexOf('=')
      // The line itself is not repeated: it may hold a secret.
      if (eq < 1) throw new Error(`Line ${at + 1} of standard input is not key=value.`)
      return [line.slice(0, eq).trim(), line.slice(eq + 1).trim()]
    }),
  )
}

const pastedAhead: Text = {
  en:
    'More than one line came at once, so nothing is kept: paste secrets one by one, or pipe them ' +
    'in as key=value lines.',
  fr:
    'Plusieurs lignes sont arrivées d’un coup : rien n’est gardé. Collez les secrets un par un, ' +
    'ou transmettez-les sur l’entrée standard, une ligne key=value par secret.',
}

const notShown: Text = { en: '(not shown):', fr: '(non affiché) :' }

async function askEach(
  { input, err }: CliIo & Readonly<{ input: NodeJS.ReadableStream }>,
  specs: readonly Pick<SettingSpec, 'key' | 'help'>[],
  language: Locale,
): Promise<Secrets> {
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() })
  const reader = createInterface({ input, output: nowhere, terminal: true })
  const given: [string, string][] = []
  let isAhead = false
  reader.on('line', () => {
    isAhead = true
  })
  try {
    for (const { key, help } of specs) {
      err(`${lineIn(help, language)}\n${key} ${lineIn(notShown, language)}`)
      const value = await new Promise<string>((resolve) => reader.question('', resolve))
      // A block of commands was pasted: the next one would be kept as a secret.
      if (isAhead) throw new Error(lineIn(pastedAhead, language))
      if (value.trim() !== '') given.push([key, value.trim()])
    }
  } finally {
    reader.close()
  }
  return Object.fromEntries(given)
}
