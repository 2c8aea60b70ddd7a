import { fileURLToPath } from 'node:url'
import { join } from 'node:path'
import t from '#test'
import { forkTransport } from '../../../services/agent/index.js'
import { inprocTransport } from '../../../services/agent/runtime/inproc.js'
import { asideConform } from '../../support/conformance/aside.js'
import { controlsConform } from '../../support/conformance/controls.js'
import { eventsConform } from '../../support/conformance/events.js'
import { type OpenTransport } from '../../support/conformance/harness.js'
import { livesConform } from '../../support/conformance/lives.js'
import { requestsConform } from '../../support/conformance/requests.js'

const timing = { retryBaseMs: 5 }

/** All transports to a host; a new one is added here. */
const transports: Record<string, OpenTransport> = {
  'in the same process': ({ folder, env }) => inprocTransport({ profileHome: () => join(folder, 'home'), serviceRoots: [join(folder, 'state')], env, timing }),
  'a child process': ({ folder, env }) => forkTransport({
    profileHome: () => join(folder, 'home'),
    serviceRoots: [join(folder, 'state')],
    stateDir: join(folder, 'state'),
    env,
    timing,
    entry: fileURLToPath(new URL('../../../dist/services/agent/host/main.js', import.meta.url))
  })
}

for (const [name, open] of Object.entries(transports)) {
  t.test(`a host ${name}`, async (t) => {
    for (const conform of [eventsConform, controlsConform, requestsConform, asideConform, livesConform]) conform(t, open)
  })
}
