// Are the installed packages those that the registry has signed? A wrong signature is red. A
// registry that cannot be reached, or has no keys, proves nothing either way: that is said, and not
// red.
import { spawnSync } from 'node:child_process'

const run = spawnSync('npm', ['audit', 'signatures', '--json'], {
  encoding: 'utf8',
  timeout: 45_000,
})

/** What npm found; undefined when it could not look. */
function findings(text) {
  try {
    const { invalid, missing } = JSON.parse(text)
    return Array.isArray(invalid) ? { invalid, missing: missing ?? [] } : undefined
  } catch {
    return undefined
  }
}

const found = findings(run.stdout ?? '')
if (found === undefined) {
  console.log('Signatures of packages: NOT CHECKED, the registry does not answer with its keys.')
} else if (found.invalid.length > 0) {
  for (const { name, version } of found.invalid) console.error(`${name}@${version}: not as signed`)
  process.exitCode = 1
} else {
  console.log(`Signatures of packages: none is wrong, ${found.missing.length} have none.`)
}
