import { type FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { audited } from '../plugins/ground/audited.js'
import { epochSeconds } from '../services/ground/time/clock.js'
import { describeMachine, machineToWire, thisMachineToWire } from '../services/areas/machines/index.js'
import { conflicts, errors, Ok } from '../schemas/common.js'
import { ForgetMachine, MachineList } from '../schemas/machines.js'
import { tagged } from './shared/tagged.js'

const plugin: FastifyPluginAsyncTypebox = async (app) => {
  app.addHook('onRoute', tagged('hosts'))
  const { agent, clock, config, machines, models, profiles, sandbox, serviceVersion } = app
  const startedAtS = epochSeconds(clock)

  app.get('/api/hosts', {
    config: { scope: 'read' },
    schema: {
      summary: 'List the machines that turns can run on',
      description: 'This machine first (`name: null`), then those that have joined. `state` is `ready`, `away` or `refused`, with a ' +
        '`note`. To work on one, use `name:/path` as a workspace.',
      response: { 200: MachineList }
    }
  }, async () => {
    const here = await describeMachine({
      version: serviceVersion,
      profiles: () => profiles.list().map(({ name }) => name),
      providers: async (profile) => (await models.catalog.providers(profile)).providers,
      sandbox: async () => await sandbox.status(profiles.active()),
      // Runs on other machines work there, and do not count here.
      runs: () => profiles.list().reduce((sum, { name }) => sum + agent.health(name).runs, 0),
      workspaces: () => [config.defaultWorkspace],
      startedAtS
    })
    const error = machines.problem()
    return {
      enabled: machines.isEnabled, connected: machines.isEnabled && error === null, error,
      hosts: [thisMachineToWire(here), ...machines.list().map(machineToWire)]
    }
  })

  app.post('/api/hosts/forget', {
    config: {
      scope: 'admin', audit: audited<typeof ForgetMachine>(({ name: machine }, record) => record('machine.forgotten', { machine }))
    },
    schema: {
      summary: 'Remove a disconnected machine from the list',
      description: 'Its sessions stay, and work again if the machine reconnects. 409 `host_present`: it is connected; stop its program ' +
        'first. 404: unknown machine.',
      body: ForgetMachine,
      response: { 200: Ok, ...errors(400, 404), ...conflicts('host_present') }
    }
  }, async ({ body }) => {
    await machines.forget(body.name)
    return { ok: true }
  })
}
export default plugin
