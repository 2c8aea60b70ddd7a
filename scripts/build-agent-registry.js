// Makes services/providers/agent-registry.json, the checked-in snapshot of the public registry of agents that speak the Agent Client
// Protocol (Apache-2.0), with the command that installs each:
//   node scripts/build-agent-registry.js                    from the address below
//   node scripts/build-agent-registry.js --from=PATH --of=2026-08-20
//                                                           from a saved registry.json, or an unpacked copy of its repository, of that day
// Asks npm for the newest version of a package, and the name of its program. Names the agents that it leaves out.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'

const address = 'https://cdn.agentclientprotocol.com/registry/v1/latest/registry.json'
/** For these agents the registry has a binary, or a discontinued package; npm has the package that their makers recommend today. */
const onNpm = new Map(Object.entries({
  'claude-code-acp': '@agentclientprotocol/claude-agent-acp', 'claude-acp': '@agentclientprotocol/claude-agent-acp',
  'codex-acp': '@agentclientprotocol/codex-acp', opencode: 'opencode-ai', 'factory-droid': 'droid'
}))
/** For these the registry has archives, and PyPI the package that their makers recommend; uv installs the newest. */
const onPypi = new Map([['kimi', 'kimi-cli']])
/** The service's own presets for the same agents. */
const presets = new Map(Object.entries({
  'claude-code-acp': 'claude-code', 'claude-acp': 'claude-code', 'codex-acp': 'codex', gemini: 'gemini-cli', opencode: 'opencode', goose: 'goose'
}))
const renamedArgs = new Map([['--experimental-acp', '--acp']])

const option = (name) => process.argv.flatMap((word) => word.startsWith(`--${name}=`) ? [word.slice(name.length + 3)] : [])[0]
const from = option('from')
const today = new Date().toISOString().slice(0, 10)
const registryDate = from === undefined ? today : option('of')
if (registryDate === undefined) throw new Error('Say with --of=<date> of which day the saved registry is')

async function read () {
  if (from === undefined) {
    const answer = await fetch(address)
    if (!answer.ok) throw new Error(`${address} answers ${answer.status}`)
    return (await answer.json()).agents
  }
  if (!statSync(from).isDirectory()) return JSON.parse(readFileSync(from, 'utf8')).agents
  return readdirSync(from).filter((name) => existsSync(join(from, name, 'agent.json'))).map((name) =>
    JSON.parse(readFileSync(join(from, name, 'agent.json'), 'utf8')))
}

/** Returns the version and program of a package from npm; null if npm does not have it. */
function ofNpm (name) {
  try {
    const { version, bin = {} } = JSON.parse(execFileSync('npm', ['view', name, 'version', 'bin', '--json'], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
    return { version, program: Object.keys(bin)[0] }
  } catch {
    return null
  }
}

const bare = (spec) => spec.replace(/(?<=.)@[^@/]*$/, '')

/** Returns the command that installs an agent, and the words that start it. */
function lineOf ({ id, version, distribution: { npx, uvx, binary } }) {
  const name = onNpm.get(id) ?? (npx === undefined ? undefined : bare(npx.package))
  const found = name === undefined ? null : ofNpm(name)
  if (name !== undefined && found?.program !== undefined) {
    const args = npx?.args ?? Object.values(binary ?? {})[0]?.args ?? []
    return { version: found.version, install: `npm install -g ${name}@${found.version}`, command: [found.program, ...args.map((word) => renamedArgs.get(word) ?? word)] }
  }
  const python = onPypi.get(id)
  const program = binary?.['linux-x86_64']
  if (python !== undefined && program !== undefined) {
    return { version, install: `uv tool install ${python}`, command: [basename(program.cmd), ...program.args ?? []] }
  }
  if (uvx !== undefined) return { version, install: `uv tool install ${uvx.package}`, command: [bare(uvx.package).replace(/==.*$/, ''), ...uvx.args ?? []] }
  return program === undefined
    ? null
    : { version, install: unpacking(id, program), command: [basename(program.cmd), ...program.args ?? []] }
}

/** Returns the line that downloads an archive, checks its sum if the registry has one, unpacks it, and puts its program on the path. */
function unpacking (id, { archive, cmd, sha256 }) {
  const file = basename(new URL(archive).pathname)
  const folder = `~/.local/share/agents/${id}`
  return [
    'cd "$(mktemp -d)"', `curl -fLO ${archive}`, ...sha256 === undefined ? [] : [`echo "${sha256}  ${file}" | sha256sum -c`],
    `mkdir -p ${folder} ~/.local/bin`, file.endsWith('.zip') ? `unzip -qo ${file} -d ${folder}` : `tar -xf ${file} -C ${folder}`,
    `ln -sf ${folder}/${cmd.replace(/^\.\//, '')} ~/.local/bin/`
  ].join(' && ')
}

const leftOut = []
const agents = (await read()).flatMap((agent) => {
  const line = lineOf(agent)
  if (line === null) {
    leftOut.push(agent.id)
    return []
  }
  const { id, name, description, license, repository } = agent
  return [{ id, preset: presets.get(id) ?? null, name, description, licence: license ?? 'not stated', page: onNpm.has(id) ? `https://www.npmjs.com/package/${onNpm.get(id)}` : repository ?? null, ...line }]
}).toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
const target = new URL('../services/providers/agent-registry.json', import.meta.url)
writeFileSync(target, `${JSON.stringify({ source: address, registry_date: registryDate, date: today, agents }, null, 2)}\n`)
console.log(`${agents.length} agents${leftOut.length === 0 ? '' : `; no line that installs ${leftOut.join(', ')} on Linux`}`)
