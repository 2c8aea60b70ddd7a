import { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { createComparer } from '../foresight/index.js'
import { channelFd, JsonLines } from '../json-lines.js'
import { type ToHost } from '../protocol.js'
import { createCommandReader } from '../policy/index.js'
import { groupsEnd, killGroups } from '../../ground/process/group.js'
import { neverFailToWrite } from '../../ground/output.js'
import { closeInherited } from '../../ground/process/inherited.js'
import { Host, type HostOptions } from './host.js'
import { warmUp } from './warm-up.js'

// Entry of a host process. It lives as long as its channel to the web tier does: when that closes, whatever the reason,
// every run is aborted and the process ends, so that no tool goes on working for nobody.

// Commands and MCP servers are to have nothing open that whoever started the service has left open.
closeInherited([channelFd])
neverFailToWrite()

type Parameters = Pick<
  HostOptions,
  'profileHome' | 'otherHomes' | 'serviceRoots' | 'boundaryFolder' | 'sandboxKind' | 'commandMark' | 'timing' | 'mcpTiming' | 'demoWordsPerSecond'
>
const parameters: Parameters = JSON.parse(process.argv[2] ?? '{}')
const env: Record<string, string> = {}
for (const [name, value] of Object.entries(process.env)) if (value !== undefined) env[name] = value

const channel = new JsonLines(new Socket({ fd: channelFd, readable: true, writable: true }), {
  // It comes from whoever has started this process.
  message: (message) => { if (message !== undefined) host.receive(message as ToHost) },
  closed () {
    // Tools and MCP servers get a moment to end their process groups; what is left of them then is killed, whether it listens or not.
    void Promise.race([Promise.all([host.close(), groupsEnd(500)]), delay(800)]).then(killGroups).finally(() => process.exit(0))
  }
})

const host = new Host({
  ...parameters,
  env,
  // What holds up the reading of one command must not hold up this thread, which has all the turns.
  readCommand: createCommandReader({ log: (message) => { console.error(message) } }),
  compare: createComparer({ log: (message) => { console.error(message) } }),
  send: (message) => channel.send(message)
})

// One turn's mistake must not take the others with it.
process.on('unhandledRejection', (reason) => { console.error('unhandled rejection in a turn:', reason) })
void warmUp({ profileHome: parameters.profileHome, env })
// A terminal's Ctrl-C reaches the whole process group: the web tier settles the turns and then closes the channel.
process.on('SIGINT', () => {})
process.on('SIGTERM', () => {})
