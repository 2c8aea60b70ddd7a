import { type FastifyInstance } from 'fastify'
import fp from 'fastify-plugin'
import {
  askTimeOf, createDiagnostics, createProbes, createTidy, liveDatabaseCheck, localChecks, serviceChecks, type Diagnostics
} from '../../services/areas/diagnostics/index.js'
import { backupWarning } from '../../services/areas/backups/index.js'
import { monotonicMs } from '../../services/ground/time/clock.js'
import { databaseFile } from '../../services/ground/database/index.js'
import { isLoopback } from '../../services/ground/network/loopback.js'
import { isZone } from '../../services/ground/time/zones.js'
import { linesLost } from '../../services/ground/process/standard-output.js'

declare module 'fastify' {
  interface FastifyInstance { diagnostics: Diagnostics & { probes: ReturnType<typeof createProbes> } }
}

/** Diagnoses problems of the service and its machine. The other areas report their state and do not depend on this one. */
export default fp(async (app: FastifyInstance) => {
  const {
    auth, backups, budgets, clock, config, crons, db, environment, git, machines, mcp, models, profiles, providerTests, push,
    serviceVersion, updates
  } = app
  const startedAt = { wallMs: clock.now(), monotonicMs: monotonicMs(clock) }
  const database = liveDatabaseCheck({
    file: databaseFile(config.stateDir), trouble: () => db.trouble()?.kind ?? (db.isFull() ? 'full' : null), verdict: () => backups?.check() ?? null
  })

  const diagnostics = createDiagnostics({
    clock,
    tidy: createTidy(config.userHome),
    checks ({ profile, thorough }) {
      const list = async () => (await models.catalog.providers(profile)).providers
      const test = async (provider: string) =>
        await providerTests.run(profile, { provider, model: null, apiKey: null, baseUrl: null, listOnly: !thorough })
      return [
        ...localChecks({
          ...config,
          installedAs: updates.installedAs,
          isLoopback: isLoopback(config.host),
          isGated: () => auth.gated,
          isSandboxOn: config.sandbox !== 'off' && profiles.rules(profile).sandbox !== 'off',
          clock,
          startedAt,
          askTime: askTimeOf(async () => (await list()).flatMap(({ entry }) => entry ?? [])),
          gitEngine: git.engine,
          environment,
          database,
          isService: true,
          backupComplaint: () => backups === null || backups.status().failure === null ? null : backupWarning(backups.status())
        }),
        ...serviceChecks({
          configuration: {
            profile,
            read () {
              const { configError, configProblems, configAsWritten: { timezone } } = profiles.settings(profile)
              return {
                error: configError ?? null,
                problems: configProblems,
                ofAreas: [
                  ...budgets.rules(profile).problems,
                  ...typeof timezone !== 'string' || timezone === '' || isZone(timezone)
                    ? []
                    : ['timezone: not a time zone, so no task can be scheduled. Enter a name such as Europe/Berlin']
                ]
              }
            }
          },
          providers: { list, test },
          agents: { list, test: thorough ? test : null },
          mcp: { list: async () => await mcp.list(profile) },
          push,
          schedules: { profiles: () => profiles.list().map(({ name }) => name), crons },
          updates,
          machines,
          clock,
          version: serviceVersion,
          linesLost
        })
      ]
    }
  })
  app.decorate('diagnostics', { ...diagnostics, probes: createProbes() })
}, {
  name: 'diagnostics',
  dependencies: [
    'auth', 'backups', 'budgets', 'config', 'crons', 'database', 'git', 'machines', 'mcp', 'models', 'profiles', 'models-tests', 'push', 'updates',
    'version'
  ]
})
