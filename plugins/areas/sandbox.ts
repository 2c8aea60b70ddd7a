import { resolve } from 'node:path'
import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  createCheckRunner, findContainerBoundary, findSandbox, type CheckResult, type CheckRunner, type SandboxStatus
} from '../../services/agent/index.js'

declare module 'fastify' {
  interface FastifyInstance {
    sandbox: {
      /** Returns how terminal commands of a profile are confined: as its host reports, or, if it has no host yet, as this machine would. */
      status (profile: string): Promise<SandboxStatus>
      /** Whether commands of a profile are confined at all. */
      rule (profile: string): 'auto' | 'off'
      /** Runs commands that a person has entered. */
      runner: CheckRunner
      /** Runs such a command confined like the agent's commands of the profile. Never rejects. */
      runCheck (profile: string, check: Omit<Parameters<CheckRunner['run']>[1], 'sandbox'>): Promise<CheckResult>
    }
  }
}

export default fp(async (app: FastifyInstance) => {
  const { agent, auth, config, profiles } = app
  let local: Promise<SandboxStatus> | undefined
  const find = config.sandbox === 'container' ? findContainerBoundary : findSandbox
  const isOff = (profile: string): boolean => config.sandbox === 'off' || profiles.rules(profile).sandbox === 'off'
  // A command with network access could tell a service without sign-in to allow the next one.
  const isOpen = (): boolean => config.sandbox === 'container' && !auth.gated
  async function status (profile: string): Promise<SandboxStatus> {
    if (isOff(profile)) return { available: false, reason: 'it is switched off' }
    if (isOpen()) return { available: false, reason: 'the container cannot be the boundary: the service needs no sign-in' }
    return agent.health(profile).sandbox ?? await (local ??= find(config.env))
  }
  const checks = createCheckRunner({
    stateDir: config.stateDir,
    env: config.env,
    hidden: (profile) => [
      profiles.homeOf(profile), config.home, config.stateDir, config.backup.folder, resolve('.env'),
      ...(config.nats?.credentials === undefined ? [] : [config.nats.credentials])
    ]
  })
  app.addHook('onClose', async () => checks.close())
  app.decorate('sandbox', {
    status,
    rule: (profile: string) => isOff(profile) || isOpen() ? 'off' : 'auto',
    runner: checks,
    runCheck: async (profile, check) => await checks.run(profile, { ...check, sandbox: await status(profile) })
  })
}, { name: 'sandbox', dependencies: ['auth', 'config', 'profiles', 'agent'] })
