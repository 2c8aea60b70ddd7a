import { rmSync } from 'node:fs'
import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createComparer } from '../foresight/index.js'
import { channelFd } from '../json-lines.js'
import { protocolVersion, type RunError, type ToHost } from '../protocol.js'
import { createCommandReader } from '../policy/index.js'
import { startGuardian } from '../runtime/guardian.js'
import { spoolVersion, standbyFiles, type Standby } from '../standby.js'
import { after } from '../../ground/concurrency/after.js'
import { groupsEnd, killGroups } from '../../ground/process/group.js'
import { takeLibraryWarnings } from '../../ground/library-warnings.js'
import { neverFailToWrite } from '../../ground/process/standard-output.js'
import { configureOutgoing } from '../../ground/proxy/outgoing.js'
import { closeInherited } from '../../ground/process/inherited-files.js'
import { Host, type HostOptions } from './host.js'
import { Line } from './line.js'
import { EventSpool } from './event-spool.js'
import { warmUp } from './warm-up.js'

// Entry of a host process. It ends with its service, so that no tool keeps working for nobody. If it is told to stand by, its turns
// continue while the service is away, until the next service connects or the time is over.

// Commands and MCP servers must not inherit files that the starter of the service left open.
closeInherited([channelFd])
neverFailToWrite()
takeLibraryWarnings((line) => { console.error(line) })

interface Parameters extends Pick<
  HostOptions,
  'profileHome' | 'otherHomes' | 'serviceRoots' | 'boundaryFolder' | 'sandboxKind' | 'commandMark' | 'timing' | 'mcpTiming'
  | 'demoWordsPerSecond' | 'servicePort'
> { defaultHome?: string, standby?: Standby }
const { standby, defaultHome, ...parameters }: Parameters = JSON.parse(process.argv[2] ?? '{}')
const env: Record<string, string> = {}
for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value
configureOutgoing(defaultHome ?? parameters.profileHome, env)
const spool = standby === undefined ? undefined : new EventSpool(standbyFiles(standby).spool)

const farewell = (message: string): RunError => ({
  type: 'interrupted', message, hint: 'What it had written so far is kept. Send the message again to retry.'
})
let isEnding = false
let stopWaiting = (): void => {}
/** Whether the next service can connect. */
let canBeMet = Promise.resolve(false)
let letGuardianGo = (): void => {}

const line = new Line(new Socket({ fd: channelFd, readable: true, writable: true, allowHalfOpen: true }), {
  message (message) {
    // The sender started this process, or knows its secret.
    if (message === undefined) return
    const told = message as ToHost
    if (told.type === 'end') void end({ keepsSpool: false })
    else host.receive(told)
  },
  met () {
    stopWaiting()
    host.meet()
  },
  left () {
    if (isEnding) return
    host.leave()
    // The service may have gone before this process was up.
    void canBeMet.then(waitAlone)
  }
})

const host = new Host({
  ...parameters,
  env,
  spool,
  // A command that is slow to parse must not hold up this thread, which runs all turns.
  readCommand: createCommandReader({ log: (message) => { console.error(message) } }),
  compare: createComparer({ log: (message) => { console.error(message) } }),
  send: (message) => line.send(message),
  over: () => restAlone()
})

function waitAlone (can: boolean): void {
  if (isEnding || !line.isAlone) return
  if (standby === undefined || !can) {
    void end({ keepsSpool: false })
    return
  }
  stopWaiting = after(standby.waitMs, () => { void giveUp('The service was away for too long, so the agent ended this turn.') })
  restAlone()
}

/** Ends this process if it has neither a service nor a turn: its events wait in the file. */
function restAlone (): void {
  if (line.isAlone && !isEnding && host.runs === 0 && host.handOver()) void end({ keepsSpool: true })
}

async function giveUp (message: string): Promise<void> {
  if (isEnding) return
  isEnding = true
  line.close()
  await host.giveUp(farewell(message))
  await end({ keepsSpool: true })
}

async function end ({ keepsSpool }: { keepsSpool: boolean }): Promise<void> {
  isEnding = true
  stopWaiting()
  line.close()
  // Tools and MCP servers get a moment to end their process groups. What is left then is killed.
  await Promise.race([Promise.all([host.close(), groupsEnd(500)]), delay(800)]).then(killGroups).catch(() => {})
  if (standby !== undefined && !(keepsSpool && spool?.isEmpty === false)) rmSync(standby.folder, { recursive: true, force: true })
  letGuardianGo()
  process.exit(0)
}

// An error in one turn must not end the others.
process.on('unhandledRejection', (reason) => { console.error('unhandled rejection in a turn:', reason) })
void warmUp({ profileHome: parameters.profileHome, env })
// A terminal's Ctrl-C reaches the whole process group: the web tier settles the turns and then tells this process to end.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => { if (line.isAlone) void giveUp('The agent was stopped while the service was away.') })

if (standby !== undefined && parameters.commandMark !== undefined) {
  letGuardianGo = startGuardian(parameters.commandMark, env['PATH'])
  const { profile, fit } = standby
  const listening = line.listen(standby, {
    profile, fit, mark: parameters.commandMark, pid: process.pid, v: protocolVersion, said: spoolVersion
  })
  canBeMet = listening.then(() => true, (error: unknown) => {
    console.error('turns end with the service, because the next one could not reach this process:', String(error))
    return false
  })
}
