// Starts the server under a watchdog: a small shell that holds the other end of a pipe from this
// process. However this process ends (kill -9 too), the pipe closes and the server is stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Account } from './unprivileged.ts'

/**
 * `"$@"` is the server. The inner loop blocks in `read` until the pipe closes, then requests a fast
 * shutdown until the server is gone. It repeats, because a shell starts background jobs deaf to
 * SIGINT and the first one may come before PostgreSQL listens; after ten seconds it requests an
 * immediate one. The loop is killed before the shell ends, so it never signals a pid that was
 * reused since. The shell ignores the signals that a terminal or a service runner sends to all at
 * once.
 */
const script = `
trap '' HUP INT TERM
exec 3<&0 </dev/null
"$@" 3<&- &
server=$!
{
  while read -r _; do :; done <&3
  tries=0
  while kill -INT $server 2>/dev/null; do
    sleep 0.1
    tries=$((tries + 1))
    if [ $tries -gt 100 ]; then kill -QUIT $server 2>/dev/null; fi
  done
} &
guard=$!
exec 3<&-
wait $server
code=$?
kill -KILL $guard 2>/dev/null
exit $code
`

const error_tail_max = 4_000

export type Watched = Readonly<{
  /** The server's last output: the reason when it does not come up. */
  lastWords(): string
  hasEnded(): boolean
  /** Lets this process end by itself although the server still runs. */
  letGo(): void
  /** Closes the pipe; resolves when the server has ended. Safe to call twice. */
  stop(): Promise<void>
}>

type Launch = Readonly<{
  command: readonly string[]
  account: Account
  directory: string
  environment: Record<string, string>
  log: (line: string) => void
}>

export function startWatched({ command, account, directory, environment, log }: Launch): Watched {
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...command], {
    ...account,
    cwd: directory,
    env: environment,
    detached: true, // its own session: Ctrl-C reaches this process only, which then stops it
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let tail = ''
  let ended = false
  const gone = new Promise<void>((done) => {
    const finish = () => {
      ended = true
      child.stdin.destroy()
      done()
    }
    child.once('exit', finish)
    child.once('error', (error) => {
      tail += error.message
      finish()
    })
  })
  child.stdin.on('error', () => {}) // the shell ended first: `exit` reports it
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    tail = (tail + text).slice(-error_tail_max)
    for (const line of text.split('\n')) if (line.trim() !== '') log(line)
  })
  return {
    lastWords: () => tail.trim(),
    hasEnded: () => ended,
    letGo: () => holdOpen(child, 'unref'),
    async stop() {
      holdOpen(child, 'ref')
      child.stdin.end()
      await gone
    },
  }
}

/** Pipes are sockets in Node, and each keeps the process alive unless it is unreferenced. */
function holdOpen(child: ChildProcess, how: 'ref' | 'unref'): void {
  child[how]()
  for (const pipe of [child.stdin, child.stderr]) {
    if (pipe !== null && how in pipe) (pipe as unknown as { ref(): void; unref(): void })[how]()
  }
}
