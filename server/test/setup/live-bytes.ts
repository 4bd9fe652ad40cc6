// What a program of ours still needs of its memory. What the system counts for it says something
// else: V8 collects when it has to, so tens of megabytes come and go with the load of a machine.

import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'undici'
import { freePort, loopback } from './loopback.ts'

/** A port at which a program can be looked into, and the setting by which it takes that one. */
export async function inspectable(): Promise<{ port: number; env: { NODE_OPTIONS: string } }> {
  const port = await freePort()
  return { port, env: { NODE_OPTIONS: `--inspect-port=${loopback}:${port}` } }
}

const in_use = 'process.memoryUsage().heapUsed + process.memoryUsage().external'

/** Bytes that are in use, on V8's heap and in buffers, once all else was thrown away. */
export async function liveBytes({ pid, port }: Readonly<{ pid: number; port: number }>) {
  // Node opens its inspector at this signal (Node's documentation, "Debugger").
  process.kill(pid, 'SIGUSR1')
  const inspector = await open(await addressAt(port))
  try {
    await inspector.ask('HeapProfiler.collectGarbage')
    const { result } = await inspector.ask('Runtime.evaluate', { expression: in_use })
    return (result as { value: number }).value
  } finally {
    inspector.close()
  }
}

async function addressAt(port: number): Promise<string> {
  for (let tries = 0; ; tries += 1) {
    const reply = await fetch(`http://${loopback}:${port}/json/list`).catch(() => undefined)
    if (reply !== undefined) {
      const [target] = (await reply.json()) as [{ webSocketDebuggerUrl: string }]
      return target.webSocketDebuggerUrl
    }
    if (tries > 200) throw new Error(`no inspector at ${port}`)
    await sleep(50)
  }
}

type Answer = Readonly<{ id: number; result: Record<string, unknown> }>

/** The inspector's protocol: https://chromedevtools.github.io/devtools-protocol/v8/ */
async function open(url: string) {
  const socket = new WebSocket(url)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve, { once: true })
    socket.addEventListener('error', reject, { once: true })
  })
  let asked = 0
  return {
    ask(method: string, params = {}): Promise<Answer['result']> {
      asked += 1
      const id = asked
      const answer = new Promise<Answer['result']>((resolve, reject) => {
        socket.addEventListener('error', reject, { once: true })
        socket.addEventListener('message', ({ data }) => {
          const said: Answer = JSON.parse(String(data))
          if (said.id === id) resolve(said.result)
        })
      })
      socket.send(JSON.stringify({ id, method, params }))
      return answer
    },
    close: () => socket.close(),
  }
}
