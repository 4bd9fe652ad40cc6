// Ends what is left of a run that was interrupted or killed, however that was: it holds the other
// end of a pipe from the run, which closes with it. Plain Node, in a session of its own, so that
// Ctrl-C does not reach it. The first line that it reads is the run's own folder: a process that
// has it in its words or its environment, or works in it, belongs to the run.
import { readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

/** PostgreSQL leaves shared memory behind when it is killed, and none when it stops by itself. */
const patience_ms = 15_000

const ignored = ['SIGHUP', 'SIGINT', 'SIGTERM']
for (const signal of ignored) process.on(signal, () => undefined)

let heard = ''
for await (const part of process.stdin) heard += part
const [place, ended] = heard.split('\n')
if (place.startsWith('/') && ended !== 'ended') {
  await endAll(place)
  rmSync(place, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
}

async function endAll(place) {
  const until = Date.now() + patience_ms
  for (;;) {
    const left = membersOf(place)
    if (left.length === 0) return
    const is_late = Date.now() > until
    for (const { pid, name, is_postmaster } of left) {
      if (is_postmaster && !is_late) signal(pid, 'SIGINT')
      // A shell may be the one that watches over a PostgreSQL, and ends with it.
      else if (is_late || !['postgres', 'sh'].includes(name)) signal(pid, 'SIGKILL')
    }
    await sleep(100)
  }
}

function membersOf(place) {
  const all = readdirSync('/proc').filter(
    (entry) => /^\d+$/.test(entry) && entry !== `${process.pid}`,
  )
  const ours = all.filter((pid) => belongs(pid, place)).map((pid) => ({ pid, ...statOf(pid) }))
  const servers = new Set(ours.filter(({ name }) => name === 'postgres').map(({ pid }) => pid))
  return ours
    .filter(({ state }) => state !== 'Z')
    .map((one) => ({ ...one, is_postmaster: servers.has(one.pid) && !servers.has(one.parent) }))
}

function belongs(pid, place) {
  const texts = ['cmdline', 'environ'].map((file) =>
    read(() => readFileSync(`/proc/${pid}/${file}`)),
  )
  if (texts.some((text) => text.includes(place))) return true
  return read(() => readlinkSync(`/proc/${pid}/cwd`)).includes(place)
}

/** The name in parentheses may hold spaces: fields are counted from behind it (proc(5)). */
function statOf(pid) {
  const text = String(read(() => readFileSync(`/proc/${pid}/stat`)))
  const [state = 'Z', parent = ''] = text.slice(text.lastIndexOf(')') + 2).split(' ')
  return { name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')), state, parent }
}

/** Empty when the process has ended or is another account's. */
function read(look) {
  try {
    return look()
  } catch {
    return ''
  }
}

function signal(pid, name) {
  try {
    process.kill(Number(pid), name)
  } catch {
    // It has ended by itself.
  }
}
