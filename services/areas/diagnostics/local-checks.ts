import { tmpdir } from 'node:os'
import { type Clock } from '../../ground/time/clock.js'
import { databaseFile } from '../../ground/database/index.js'
import { type InstalledAs } from '../updates/index.js'
import { type Check } from './check.js'
import { backupsCheck } from './checks/backups.js'
import { clockCheck, type AskTime, type ClockOptions } from './checks/clock.js'
import { descriptorsCheck } from './checks/descriptors.js'
import { diskCheck } from './checks/disk.js'
import { gitCheck, type GitOptions } from './checks/git.js'
import { listeningCheck, type ListeningOptions } from './checks/listening.js'
import { memoryCheck } from './checks/memory.js'
import { programCheck } from './checks/program.js'
import { proxyCheck } from './checks/proxy.js'
import { ripgrepCheck } from './checks/ripgrep.js'
import { sandboxCheck, type SandboxOptions } from './checks/sandbox.js'
import { stateFolderCheck } from './checks/state-folder.js'
import { tracesChecks } from './checks/traces.js'

/** How this machine is set up for the service. */
interface LocalOptions extends ListeningOptions {
  installedAs: InstalledAs
  home: string
  stateDir: string
  backup: { folder: string, everyHours: number }
  defaultWorkspace: string
  env: Record<string, string>
  isSandboxOn: boolean
  sandbox: SandboxOptions['wanted']
  clock: Clock
  startedAt: ClockOptions['startedAt']
  askTime: AskTime
  gitEngine: GitOptions['engine']
  environment: NodeJS.ProcessEnv
  /** The check of the database, which depends on whether the service has it open. */
  database: Check
  /** Whether the service itself runs the checks, rather than a person who may be another user. */
  isService: boolean
  backupComplaint?: () => string | null
}

/** Checks that need no running service. */
export function localChecks (options: LocalOptions): Check[] {
  const { home, stateDir, backup, defaultWorkspace, env, clock, startedAt, askTime, isService } = options
  return [
    programCheck(options.installedAs),
    memoryCheck(),
    descriptorsCheck(),
    clockCheck({ clock, startedAt, askTime, databaseFile: databaseFile(stateDir) }),
    stateFolderCheck({ home, stateDir, isService }),
    diskCheck({ stateDir, backup, defaultWorkspace, temporary: tmpdir() }),
    options.database,
    backupsCheck({ stateDir, backup, isService, nowS: () => clock.now() / 1_000, complaint: options.backupComplaint }),
    listeningCheck(options),
    sandboxCheck({ isOn: options.isSandboxOn, wanted: options.sandbox, isOpen: options.isGated() === false, env }),
    gitCheck({ engine: options.gitEngine, workspace: defaultWorkspace, environment: options.environment }),
    ripgrepCheck(env),
    proxyCheck({ home, env }),
    ...tracesChecks(env)
  ]
}
