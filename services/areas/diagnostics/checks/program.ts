import { readFileSync } from 'node:fs'
import { asset } from '../../../ground/assets.js'
import { programVersion } from '../../../ground/database/index.js'
import { type InstalledAs } from '../../updates/index.js'
import { type Check, coded, ok, problem } from '../check.js'

const needed = (JSON.parse(readFileSync(asset('package.json'), 'utf8')) as { engines: { node: string } }).engines.node.replace('>=', '')

const installed: Record<InstalledAs, string> = {
  git: 'a git checkout', source: 'its sources', 'npm-global': 'npm, for the whole system', 'npm-local': 'npm, in a folder', npx: 'npx', pnpm: 'pnpm',
  bun: 'Bun', archive: 'an archive', image: 'a container image', copy: 'a copy of its files'
}

/** Versions of the service and of Node, and how the service was installed. */
export function programCheck (installedAs: InstalledAs, node: string = process.versions.node): Check {
  return {
    id: 'program',
    group: 'service',
    title: 'Versions',
    run: () => isOlder(node, needed)
      ? coded(
        problem(`Node.js ${node} is too old: version ${needed} or newer is needed.`, `Install Node.js ${needed} or newer, then restart.`),
        'program_node_old', { version: node, needed }
      )
      : coded(
        ok(`Version ${programVersion} runs on Node.js ${node}, from ${installed[installedAs]}.`),
        'program_version', { own: programVersion, version: node }
      )
  }
}

function isOlder (version: string, than: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = than.split('.').map(Number)
  return major < leastMajor || (major === leastMajor && minor < leastMinor)
}
