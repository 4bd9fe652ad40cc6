// Every shell block of the README and the guides, pasted in order into one shell beside a service
// that was just started, as a newcomer does it: none may fail or be answered by an error, and what
// is shown below a block is what it prints. In a small run the command line is the run's bundle, not
// npm's: a third of a whole second each.

import { execFile, spawnSync } from 'node:child_process'
import { chmod, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from './setup/loopback.ts'
import { commandProgram } from './setup/main-program.ts'
import { type ServiceProcess, startProcess } from './setup/own-process.ts'
import { sized } from './setup/proof-size.ts'

const root = path.resolve(import.meta.dirname, '../..')
const guides = (await readdir(path.join(root, 'docs/guides'))).map((name) => `docs/guides/${name}`)
const block_max_ms = 60_000

type Block = Readonly<{
  file: string
  line: number
  text: string
  /** The answer of ours that stands right below, where one does. */
  shown: string | undefined
}>

const answerBelow = /^\n\n```(?:json)?\n(\{"success"[\s\S]*?)\n```/

async function blocksOf(file: string): Promise<Block[]> {
  const text = await readFile(path.join(root, file), 'utf8')
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(({ index, 0: all, 1: block = '' }) => {
    const [, shown] = answerBelow.exec(text.slice(index + all.length)) ?? []
    return { file, line: text.slice(0, index).split('\n').length, text: block, shown }
  })
}

/** What is another in each run: ids, references, secrets, and what is cut short. */
const isOwn = (value: string) => /…|TXN-|whsec_|^"?[0-9a-f]{8}-/.test(value)

/** Which of the fields and values that a document shows are not so in the answer. */
function untrueIn(shown: string, answer: string): string[] {
  const pairs = [...shown.matchAll(/"(\w+)":("[^"]*"|true|false|null|-?\d+)?/g)]
  return pairs.flatMap(([, name = '', value = '']) => {
    const pair = value === '' || isOwn(value) ? `"${name}":` : `"${name}":${value}`
    return answer.includes(pair) ? [] : [pair]
  })
}

/** The names of fields, in their order. */
const namesIn = (text: string) => [...text.matchAll(/"(\w+)":/g)].map(([, name]) => name)

const readme = await blocksOf('README.md')
const guideBlocks = (await Promise.all(guides.map(blocksOf))).filter((all) => all.length > 0)

/** In front of all: each answer of ours is kept, and one that is an error ends the shell. */
const prelude = `
set -euo pipefail
curl() {
  local answer
  answer=$(command curl "$@")
  printf '%s\\n' "$answer" >&2
  case "$answer" in
    '{"success":true,'*) printf '%s\\n' "$answer" ;;
    *) return 1 ;;
  esac
}
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
`

/** `npm run --silent cli -- …` without npm, and without reading the source file by file. */
const bundledCommands = `
npm() {
  case "$*" in
    'run --silent cli -- '*) shift 4 ; node ${commandProgram().join(' ')} "$@" ;;
    *) command npm "$@" ;;
  esac
}
`
const ways = sized(bundledCommands, '')

let clone: string
let service: ServiceProcess
let receiver_port: number
const has_tools = ['bash', 'curl'].every((name) => spawnSync(name, ['--version']).status === 0)

beforeAll(async () => {
  if (!has_tools) return
  clone = await mkdtemp(path.join(tmpdir(), 'pirogue-readme-'))
  // PostgreSQL runs under its own account: where that can enter, all data is in here.
  await chmod(clone, 0o755)
  for (const name of await readdir(root)) {
    if (!name.startsWith('.')) await symlink(path.join(root, name), path.join(clone, name))
  }
  const data_dir = path.join(clone, '.pirogue')
  service = await startProcess({ data_dir, port: await freePort() })
  receiver_port = await freePort()
}, 120_000)

afterAll(async () => {
  await service?.stop()
  if (clone !== undefined) await rm(clone, { recursive: true, force: true })
}, 60_000)

type Pasted = Readonly<{ code: number; output: string; printed: string }>

/** All that the shell printed; the last `== file:line` in it is where it ended. */
function paste(blocks: readonly Block[]): Promise<Pasted> {
  if (!has_tools) throw new Error('bash and curl are needed to paste what the README says')
  // People read between two blocks, and the simulated payer takes a second to approve.
  // What goes on beside them starts meanwhile, on a busy machine too.
  const pause_s = (text: string) => (text.trimEnd().endsWith('&') ? 6 : 2)
  const marked = blocks.map(
    ({ file, line, text }) => `echo "== ${file}:${line}"\n${text}\nsleep ${pause_s(text)}`,
  )
  const script = `${prelude}${ways}${marked.join('\n')}\necho "== all"\nsleep 2\n`
    .replaceAll('127.0.0.1:9099', `127.0.0.1:${receiver_port}`)
    .replaceAll('node docs/examples/', `PORT=${receiver_port} node docs/examples/`)
  const { PATH, HOME } = process.env
  const env = { PATH, HOME, LOG_LEVEL: 'error' }
  const limits = { cwd: clone, env, timeout: blocks.length * block_max_ms }
  return new Promise((resolve) => {
    execFile('bash', ['-c', script], limits, (error, stdout, stderr) => {
      const code = error === null ? 0 : Number(error.code ?? -1)
      resolve({ code, output: stdout + stderr, printed: stdout })
    })
  })
}

/** What a document shows below its blocks is what they printed. */
function expectShown(blocks: readonly Block[], printed: string): void {
  for (const { file, line, shown } of blocks) {
    if (shown === undefined) continue
    const answer = printed.split(`== ${file}:${line}\n`)[1]?.split('\n== ')[0] ?? ''
    const here = shown.replaceAll('127.0.0.1:9099', `127.0.0.1:${receiver_port}`)
    expect(untrueIn(here, answer), `${file}:${line} ${answer}`).toEqual([])
    if (!shown.includes('…')) expect(namesIn(shown), `${file}:${line}`).toEqual(namesIn(answer))
  }
}

describe('what people paste', () => {
  it('has no gap for its reader to fill', () => {
    const all = [...readme, ...guideBlocks.flat()]
    expect(all.filter(({ text }) => text.includes('…'))).toEqual([])
    expect(all.length).toBeGreaterThan(12)
  })

  it('works in the README, from the first block to the last', async () => {
    const { code, output, printed } = await paste(readme)
    expect(code, output).toBe(0)
    expect(readme.filter(({ shown }) => shown !== undefined).length).toBeGreaterThan(2)
    expectShown(readme, printed)
    expect(output).toContain('== all')
    expect(output).toContain('webhook.test')
    expect(output).toContain('The books are right.')
  }, 300_000)

  it.each(guideBlocks.map((blocks) => [blocks[0]?.file ?? '', blocks] as const))(
    'works in %s, with what the README set',
    async (_, blocks) => {
      const [first] = readme
      expect(first).toBeDefined()
      const settings = readme.filter(({ text }) => text.startsWith('API=')).slice(0, 1)
      const { code, output, printed } = await paste([...settings, ...blocks])
      expect(code, output).toBe(0)
      expectShown(blocks, printed)
      expect(output).toContain('== all')
    },
    600_000,
  )
})
