import { readdirSync } from 'node:fs'
import { hostPid, processesOf } from '../arena.js'
import { checkState } from '../check-ledger.js'
import { createCrew } from '../crew.js'
import { tryAgents } from '../peers/agents.js'
import { httpFaults } from '../peers/http-faults.js'
import { startHttpPeers } from '../peers/http-peers.js'
import { tryModels } from '../peers/models.js'
import { programFaults } from '../peers/program-faults.js'
import { tryReceivers } from '../peers/receivers.js'
import { configure, eventually, post, type Site } from '../peers/site.js'
import { trySpeech } from '../peers/speech.js'
import { tryTools } from '../peers/tools.js'
import { type Scenario } from '../scenario.js'
import { watchService } from '../watch.js'

const trials = { tools: tryTools, models: tryModels, speech: trySpeech, receivers: tryReceivers, agents: tryAgents }
const healthLimitMs = 5_000
const memoryLimitMib = 900
const endLimitMs = 60_000
/** Handles that a process may have opened for itself meanwhile, for example for its log or a module. */
const ownHandles = 12
/** Handles of a program that is kept for the next turn. */
const handlesOfProgram = 4
const failing = new Set(programFaults.filter(({ works }) => works === 'never').map(({ name }) => name))

export const peers: Scenario = {
  name: 'peers',
  says: `${httpFaults.length} faults of model, speech, MCP, webhook and push servers and ${programFaults.length} of MCP servers and agents that are programs`,
  short: false,
  async run (arena) {
    const { tally } = arena
    const { url: modelUrl } = await arena.endpoint(0)
    const http = await startHttpPeers()
    arena.later(http.close)
    configure(arena, {})
    const service = await arena.ready({
      env: {
        OPENAI_API_KEY: 'torture', OPENAI_BASE_URL: modelUrl, SVC_WEBUI_TRUSTED_PROXIES: 'loopback', SVC_WEBUI_WEBHOOK_PRIVATE: '1',
        SVC_WEBUI_PUSH_CONTACT: 'mailto:torture@example.org'
      }
    })
    let isStopping = false
    arena.later(() => { isStopping = true })
    void service.exited.then((code) => {
      if (!isStopping) tally.wrong(`the service ended by itself with ${code}: ${service.output().slice(-2_000)}`)
    })
    const crew = createCrew(arena)
    const site: Site = { arena, service, client: crew.client(service), http }
    await site.client.turn(await site.client.newSession(), 'words=3')
    const pids = [service.pid, await hostPid(service)]
    for (const [name, perform] of Object.entries(trials)) {
      const before = pids.map(handlesOf)
      const watch = watchService(`${service.url}/health`, pids)
      await perform(site)
      const { slowestMs, mostMib } = await watch.end()
      tally.note(`${name}: slowest /health ${Math.round(slowestMs)} ms, most memory ${Math.round(mostMib)} MiB`)
      if (slowestMs > healthLimitMs) tally.wrong(`${name}: /health took ${Math.round(slowestMs)} ms`)
      if (mostMib > memoryLimitMib) tally.wrong(`${name}: a process grew to ${Math.round(mostMib)} MiB`)
      configure(arena, {})
      await post(site, '/api/mcp/reload', {})
      await expectTidy(site, name, pids, before)
    }
    const failures = service.output().split('\n').filter((line) => /"statusCode":500|uncaught|unhandled/i.test(line))
    for (const line of failures) tally.wrong(`the log has: ${line.slice(0, 400)}`)
    await crew.check(service)
    isStopping = true
    await arena.stop(service)
    checkState({ databaseFile: arena.databaseFile(), tally })
  }
}

/** Checks that everything that was started or opened for a peer is gone, except working agents: they are kept for a while. */
async function expectTidy ({ arena, http }: Site, name: string, pids: number[], before: number[]): Promise<void> {
  const programs = (): string[] => processesOf(arena.folder).map(({ command }) => command).filter((command) => command.includes('program.js'))
  const left = (): string[] => programs().filter((command) => name !== 'agents' || failing.has(command.split(' ').at(-1) ?? ''))
  if (!await eventually(() => left().length === 0, endLimitMs)) {
    for (const command of left()) arena.tally.wrong(`${name}: "${command}" lives on for ${endLimitMs / 1000} s`)
  }
  if (!await eventually(() => http.open().length === 0, endLimitMs)) {
    arena.tally.wrong(`${name}: connections to peers are still open: ${http.open().join(', ')}`)
  }
  const most = (at: number): number => (before[at] ?? 0) + ownHandles + programs().length * handlesOfProgram
  for (const [at, pid] of pids.entries()) {
    if (await eventually(() => handlesOf(pid) <= most(at), endLimitMs)) continue
    arena.tally.wrong(`${name}: process ${pid} has ${handlesOf(pid)} handles, and had ${before[at]} before`)
  }
}

const handlesOf = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length
