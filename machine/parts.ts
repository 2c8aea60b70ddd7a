import { resolve } from 'node:path'
import { boundaryFolder, createCheckRunner, forkTransport, type HostTransport } from '../services/agent/index.js'
import { realPath, within } from '../services/ground/files/containment.js'
import { Invalid } from '../services/ground/errors.js'
import { createSiteHere } from '../services/areas/checks/index.js'
import { keyVariables } from '../services/areas/profiles/index.js'
import { createAnswers } from './answers.js'
import { createMachineApp, type MachineApp, type MachineAppOptions } from './app.js'
import { createMachineChecks } from './checks.js'
import { serveQuestions, type Answers } from './questions.js'
import { createBridge, type Bridge } from './bridge.js'
import { createRunCheckpoints } from './checkpoints.js'
import { type Parts, type PartsContext } from './machine.js'
import { createModelAnswers } from './models.js'
import { createMapSpec } from './map-spec.js'
import { createSandboxHere } from './sandbox.js'
import { serveHttp } from './serve-http.js'
import { createWatches } from './watches.js'

export interface PartsOptions {
  /** Starts the processes of its profiles. Default: each is a child process. */
  hosts?: HostTransport
  /** Options of its routes that override those from the environment. */
  app?: Partial<MachineAppOptions>
}

export interface WorkingParts extends Parts {
  app: MachineApp
  http: ReturnType<typeof serveHttp>
}

const mib = 1_024 * 1_024

/** Starts the parts of a machine: runs, the routes of its workspaces, and answers to the service's questions about its folders. */
export async function startParts (
  { link, nats, name, workspaces, home, stateDir, env, instance, profiles, catalog, log }: PartsContext, options: PartsOptions = {}
): Promise<WorkingParts> {
  function opened (workspace: string): string {
    const real = realPath(workspace)
    if (!workspaces.some((root) => within(root, real))) {
      throw new Invalid(`The machine ${name} only offers workspaces in ${workspaces.join(', ')}`)
    }
    return real
  }

  // The key file may be anywhere, even in a workspace. The settings file may contain the password of the NATS server.
  const own = [stateDir, resolve('.env'), ...(nats.credentials === undefined ? [] : [nats.credentials])]

  const hasProfile = (profile: string): boolean => profiles.get(profile) !== undefined
  let bridge: Bridge | null = null
  const app = await createMachineApp({
    stateDir,
    reserved: own,
    home,
    workspaces,
    maxUploadBytes: (Number(env['SVC_WEBUI_MAX_UPLOAD_MB']) || 20) * mib,
    mediaRoots: (env['SVC_WEBUI_MEDIA_ROOTS'] ?? '').split(':').filter((path) => path.startsWith('/')),
    gitReadonly: /^(1|true|yes|on)$/.test(env['SVC_WEBUI_GIT_READONLY'] ?? ''),
    env,
    turns: () => bridge?.turns() ?? [],
    ...options.app
  })
  const http = serveHttp(link, name, app, { log })
  const watches = createWatches({ link, machine: name, watch: app.app.files.watch, territory: app.territory, log })
  const sandbox = createSandboxHere(env)
  const runner = createCheckRunner({ stateDir, env, hidden: (profile) => [profiles.homeOf(profile), home, ...own] })
  const checks = createMachineChecks({
    machine: name,
    site: createSiteHere({
      territory: app.territory,
      checkpoints: app.app.checkpoints,
      runner,
      sandbox: async (profile) => profiles.rules(profile).sandbox === 'off'
        ? { available: false, reason: 'it is switched off' }
        : await sandbox()
    }),
    opened,
    hasProfile,
    log
  })
  const answers: Answers = {
    ...createAnswers({ name, workspaces, stateDir, reserved: own, homes: profiles.homes }), ...watches.answers, ...checks.answers,
    ...createModelAnswers({ machine: name, catalog, profiles })
  }
  const asks = serveQuestions({ link, machine: name, answers, log })
  const transport = options.hosts ?? forkTransport({
    profileHome: profiles.homeOf,
    serviceRoots: own,
    stateDir,
    boundaryFolder: boundaryFolder(stateDir),
    ...env['SVC_WEBUI_SANDBOX'] === 'container' ? { sandboxKind: 'container' } : {},
    otherHomes: [home],
    defaultHome: home,
    env,
    keyVariables: (profile) => keyVariables(profiles.settings(profile).config),
    onStderr: (text) => log('agent host', { text })
  })
  bridge = createBridge({
    link,
    machine: name,
    generation: instance,
    transport,
    hasProfile,
    mapSpec: createMapSpec({ link, machine: name, stateDir, assertOpen: (workspace) => app.remember(opened(workspace)) }),
    serve: {
      checkpoint: createRunCheckpoints({
        link, machine: name, checkpoints: app.app.checkpoints, territory: app.app.workspace.territories.around, log
      })
    },
    log,
    trouble: loggingTrouble(log)
  })
  await link.nc.flush()
  return {
    app,
    http,
    runs: () => bridge?.runs() ?? 0,
    async close () {
      await bridge?.close()
      await transport.close?.()
      asks.stop()
      await checks.close()
      runner.close()
      watches.close()
      http.stop()
      await app.close()
    }
  }
}

/** Returns a function that logs when messages can no longer be stored, and when they can again. */
function loggingTrouble (log: PartsContext['log']): (reason: string | null) => void {
  let isStuck = false
  return (reason) => {
    if (reason !== null && !isStuck) log('turn output cannot be stored; turns wait', { reason })
    if (reason === null && isStuck) log('turn output can be stored again')
    isStuck = reason !== null
  }
}
