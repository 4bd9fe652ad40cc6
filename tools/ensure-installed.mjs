// Runs before `start`, `test`, `cli` and `check`: installs what package-lock.json names when
// node_modules does not hold it, else ends within milliseconds. Plain Node, no dependency.
// Law: one installer at a time, a stamp is written only after a complete installation, no package's
// own script is run, and beside a database of somebody's own nothing is installed at a start.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import * as fs from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const lockFile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.pirogue-lock-hash')
const mutex = join(root, '.pirogue-install.lock') // outside node_modules, which npm ci deletes
const node_floor = [20, 19]
const beat_ms = 1_000
const silence_max_ms = 20_000

function readIfThere(path) {
  try {
    return fs.readFileSync(path, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}

/** The platform too: node_modules shared between two systems holds the programs of one. */
function wantedStamp() {
  const hash = createHash('sha256').update(fs.readFileSync(lockFile)).digest('hex')
  return `${hash} ${process.platform}-${process.arch}\n`
}

const allows = (list, value) =>
  list === undefined ||
  (!list.includes(`!${value}`) && (list.every((one) => one[0] === '!') || list.includes(value)))

const fitsHere = (entry) => allows(entry.os, process.platform) && allows(entry.cpu, process.arch)

/** Optional packages that a workspace itself asks for, as against those deep in the tree. */
function directOptional(packages) {
  const own = Object.entries(packages).filter(([path]) => !path.includes('node_modules'))
  return new Set(
    own.flatMap(([, entry]) =>
      Object.keys(entry.optionalDependencies || {}).map((name) => `node_modules/${name}`),
    ),
  )
}

/** Compares contents, not dates: a checkout gives files any date. */
function isComplete({ without_dev = false } = {}) {
  const listed = readIfThere(join(modules, '.package-lock.json'))
  if (listed === undefined) return false
  const installed = JSON.parse(listed).packages
  const wanted = JSON.parse(fs.readFileSync(lockFile, 'utf8')).packages
  const needed = directOptional(wanted)
  return Object.entries(wanted).every(([path, entry]) => {
    if (!path.includes('node_modules/')) return true
    if (without_dev && (entry.dev || entry.devOptional)) return true
    const found = installed[path]
    if (found === undefined)
      return Boolean(entry.optional) && !(needed.has(path) && fitsHere(entry))
    const same = found.version === entry.version && found.integrity === entry.integrity
    return same && fitsHere(entry) && fs.existsSync(join(root, path, 'package.json'))
  })
}

/** True when nothing is to do; stamps an installation that somebody made by hand. */
function isReady() {
  const stamp = wantedStamp()
  if (readIfThere(stampFile) === stamp) return true
  if (!isComplete()) return false
  fs.writeFileSync(stampFile, stamp)
  return true
}

function isAlive(pid) {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error.code === 'EPERM'
  }
}

function tryLock() {
  try {
    fs.mkdirSync(mutex)
  } catch (error) {
    if (error.code === 'EEXIST') return false
    throw error
  }
  fs.writeFileSync(join(mutex, 'pid'), String(process.pid))
  return true
}

const pause = (ms) => new Promise((done) => setTimeout(done, ms))

/** Ends when we hold the lock. */
async function takeLock() {
  let seen = ''
  let silent_since = Date.now()
  for (let tries = 0; !tryLock(); tries++) {
    if (tries === 0) console.error('Another installation is running here: waiting for it.')
    const pid = readIfThere(join(mutex, 'pid'))
    const beat = `${pid} ${readIfThere(join(mutex, 'beat'))}`
    if (beat !== seen) silent_since = Date.now()
    seen = beat
    // The beat is judged by our own clock, so a pid given to another process deceives nobody.
    const dead = Boolean(pid) && !isAlive(Number(pid))
    if (dead || Date.now() - silent_since > silence_max_ms) breakLock(pid)
    await pause(100)
  }
}

/** Moved away first: of several that find the lock stale, one succeeds. */
function breakLock(pid) {
  if (readIfThere(join(mutex, 'pid')) !== pid) return
  const aside = `${mutex}.${process.pid}`
  try {
    fs.renameSync(mutex, aside)
  } catch (error) {
    if (error.code === 'ENOENT') return
    throw error
  }
  fs.rmSync(aside, { recursive: true, force: true })
}

function npmCommand() {
  const cli = process.env.npm_execpath
  if (cli && /npm-cli\.c?js$/.test(cli)) return [process.execPath, cli]
  return [process.platform === 'win32' ? 'npm.cmd' : 'npm']
}

/** What `npm start -w server` asked of npm is not meant for the installation. */
function cleanEnvironment() {
  const scoped = /^npm_config_(workspace|workspaces|global|omit|dry_run)$/i
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !scoped.test(name)))
}

function install() {
  console.error('Installing what Pirogue needs; this takes about a minute.')
  const [program, ...first] = npmCommand()
  const flags = ['ci', '--no-audit', '--no-fund', '--ignore-scripts']
  flags.push('--include=dev', '--include=optional')
  const child = spawn(program, [...first, ...flags], {
    cwd: root,
    env: cleanEnvironment(),
    shell: process.platform === 'win32',
    stdio: ['ignore', 2, 2],
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal))
  const heart = setInterval(() => fs.writeFileSync(join(mutex, 'beat'), `${Date.now()}`), beat_ms)
  return new Promise((done) => {
    const finish = (code) => {
      clearInterval(heart)
      done(code)
    }
    child.once('error', () => finish(1))
    child.once('exit', (code) => finish(code === null ? 1 : code))
  })
}

/** A start or a command beside a database of its own: other people's money is there. */
const isServiceHost = () =>
  Boolean(process.env.DATABASE_URL) &&
  ['prestart', 'precli'].includes(process.env.npm_lifecycle_event)

async function main() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < node_floor[0] || (major === node_floor[0] && minor < node_floor[1])) {
    console.error(
      `Pirogue needs Node ${node_floor.join('.')} or newer; this is ${process.version}.`,
    )
    return 1
  }
  if (isReady()) return 0
  if (isServiceHost()) {
    if (isComplete({ without_dev: true })) return 0
    console.error(
      'node_modules is not what package-lock.json names, and with DATABASE_URL nothing is ' +
        'installed at a start: run `npm ci --ignore-scripts --omit=dev` when you build.',
    )
    return 1
  }
  await takeLock()
  try {
    if (isReady()) return 0 // the one we waited for did it
    const code = await install()
    if (code === 0) fs.writeFileSync(stampFile, wantedStamp())
    else console.error('The installation failed: see above. Can the npm registry be reached?')
    return code
  } finally {
    fs.rmSync(mutex, { recursive: true, force: true })
  }
}

process.exitCode = await main()
