// `npm run db:generate`: writes the migration for a change of tables.ts. drizzle-kit is downloaded at the first use, because its 49 MB
// would otherwise be part of every installation.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const version = '0.31.11'
// Inside of the project's own packages, where drizzle-kit finds the drizzle-orm that the service uses.
const folder = `node_modules/.cache/drizzle-kit-${version}`
const program = join(folder, 'node_modules', 'drizzle-kit', 'bin.cjs')

if (!existsSync(program)) {
  run('npm', ['install', '--prefix', folder, '--no-save', '--no-package-lock', '--ignore-scripts', `drizzle-kit@${version}`])
}
run(process.execPath, [program, 'generate', ...process.argv.slice(2)])
// The next migration is made from the newest snapshot alone.
const snapshots = readdirSync('drizzle/meta').filter((name) => name.endsWith('_snapshot.json')).sort()
for (const name of snapshots.slice(0, -1)) rmSync(join('drizzle/meta', name))

/** @param {string} command @param {string[]} words */
function run (command, words) {
  const { status } = spawnSync(command, words, { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
