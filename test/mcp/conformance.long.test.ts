import t from '#test'
import { start } from '../support/app.js'
import { temporaryFolder } from '../support/folder.js'
import { playScenario } from '../support/mcp/scenarios.js'
import { clientCommand, runSuite, suiteMissing } from '../support/mcp/conformance.js'
import { client, server } from '../support/mcp/inapplicable.js'
import { startWith } from '../support/mcp/servers.js'

const folder = temporaryFolder(t, 'mcp-conformance')
const missing = await suiteMissing(folder)
const skip = missing === null ? {} : { skip: missing }

for (const [revision, inapplicable] of Object.entries(server)) {
  t.test(`the service is a server of ${revision}`, skip, async (t) => {
    const service = await start(t)
    const { code, output } = await runSuite('server', { url: `${service.url}/mcp` }, { revision, inapplicable, folder })
    t.equal(code, 0, output)
  })
}

for (const [revision, inapplicable] of Object.entries(client)) {
  t.test(`the service is a client of ${revision}`, skip, async (t) => {
    const service = await startWith(t, { mcp_servers: {}, approvals: { allow: ['mcp:*'] } })
    const command = await clientCommand(t, async (scenario) => await playScenario(service, scenario))
    const { code, output } = await runSuite('client', { command }, { revision, inapplicable, folder })
    t.equal(code, 0, output)
  })
}
