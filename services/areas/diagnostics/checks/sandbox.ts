import { readFile } from 'node:fs/promises'
import { inContainer } from '../../../ground/process/container.js'
import { findContainerBoundary, findSandbox, type SandboxRefusal, type SandboxStatus } from '../../../agent/index.js'
import { type Check, type Finding, coded, ok, warning } from '../check.js'

export interface SandboxOptions {
  isOn: boolean
  /** `container`: the container serves as the boundary. Default: a sandbox. */
  wanted?: 'auto' | 'off' | 'container'
  /** Whether the service needs no sign-in. Default: false. */
  isOpen?: boolean
  env: { PATH?: string, HOME?: string }
  isContainer?: boolean
}

/** Lets one program create user namespaces, and keeps the restriction for all others. */
const profile = "printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' " +
  "'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap\n" +
  'sudo apparmor_parser -r /etc/apparmor.d/bwrap'
const set = (setting: string): string => `echo '${setting}' | sudo tee -a /etc/sysctl.d/60-agent.conf && sudo sysctl --system`

/** Kernel settings that prevent user namespaces; in a container, they are those of its machine. */
const switches = [
  { file: '/proc/sys/kernel/unprivileged_userns_clone', off: '0', fix: set('kernel.unprivileged_userns_clone=1') },
  { file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns', off: '1', fix: profile },
  { file: '/proc/sys/user/max_user_namespaces', off: '0', fix: set('user.max_user_namespaces=15000') }
]

/** Runs a command in a sandbox. */
export function sandboxCheck ({ isOn, wanted = 'auto', isOpen = false, env, isContainer = inContainer() }: SandboxOptions): Check {
  return {
    id: 'sandbox',
    group: 'agent',
    title: 'Sandbox for commands',
    limitMs: 12_000,
    async run () {
      if (!isOn) {
        return warning(
          'The sandbox is switched off: every command of the agent runs as the user of the service, and asks for approval.',
          'Remove SVC_WEBUI_SANDBOX from the environment, or terminal.sandbox from config.yaml.', 'sandbox_off'
        )
      }
      if (wanted !== 'container') return await judge(await findSandbox(env), isContainer)
      if (isOpen) {
        return warning(
          'Every command of the agent asks for approval: the container cannot be the boundary, because the service needs no sign-in.',
          'Set a password:\nSVC_WEBUI_PASSWORD_FILE=/run/secrets/webui_password'
        )
      }
      return judgeContainer(await findContainerBoundary(env))
    }
  }
}

function judgeContainer (status: SandboxStatus): Finding {
  return status.available
    ? coded(
      ok('The container is the boundary: a command ran in it, and did not reach the service\'s own files, memory and debugger.'),
      'sandbox_container'
    )
    : warning(
      `Every command of the agent asks for approval, because ${status.reason}.`,
      '"The container is the boundary" in docs/docker.md says what it needs. For a sandbox in the container instead:\nSVC_WEBUI_SANDBOX=1'
    )
}

async function judge (status: SandboxStatus, isContainer: boolean): Promise<Finding> {
  if (status.available) {
    const isUnfiltered = status.kind === 'bwrap' && status.filters === false
    return coded(
      ok(`A command ran in a bubblewrap ${status.version} sandbox${isUnfiltered ? ', without a filter of system calls' : ''}.`),
      isUnfiltered ? 'sandbox_unfiltered' : 'sandbox_works', { version: status.version }
    )
  }
  if (/not installed/.test(status.reason)) {
    return warning(
      'Every command of the agent asks for approval, because bubblewrap (bwrap) is not installed.',
      'Install bubblewrap:\nsudo apt-get install bubblewrap', 'sandbox_missing'
    )
  }
  const fix = isContainer && status.refused !== undefined
    ? containerFix(status.refused, await isOff('/proc/sys/kernel/apparmor_restrict_unprivileged_userns', '1'), await switchesOff())
    : userNamespaces(await switchesOff()) ?? '"The sandbox for commands" in docs/operations.md says what bubblewrap needs.'
  return warning(`Every command of the agent asks for approval, because ${status.reason}.`, fix)
}

/** The line of docker-compose.yml that lifts each refusal. A container that is refused one of them is refused those after it too. */
const lifting: ReadonlyArray<[refused: SandboxRefusal, line: string]> = [
  ['namespace', 'seccomp=packaging/seccomp.json'], ['mount', 'apparmor='], ['proc', 'systempaths=unconfined']
]

/**
 * Returns the lines that let bubblewrap work in a container.
 * @param restricts whether AppArmor on the machine restricts user namespaces, so that a profile has to allow them
 * @param switches settings to change on the machine itself
 */
function containerFix (refused: SandboxRefusal, restricts: boolean, switches: readonly string[] = []): string {
  const from = lifting.findIndex(([what]) => what === refused)
  const isNeeded = (what: SandboxRefusal, index: number): boolean => index >= from || (what === 'mount' && restricts)
  const lines = lifting.flatMap(([what, line], index) =>
    isNeeded(what, index) ? [`  - ${line}${what === 'mount' ? restricts ? 'agent-web-service' : 'unconfined' : ''}`] : [])
  const onMachine = [
    ...switches.filter((fix) => fix !== profile),
    ...restricts ? ['sudo apparmor_parser -r packaging/apparmor/agent-web-service'] : []
  ]
  return [
    'Let the container make a sandbox, in docker-compose.yml (or use docker-compose.sandbox.yml):', 'security_opt:', ...lines,
    ...onMachine.length === 0 ? [] : ['# On the machine of the container:', ...onMachine],
    '# Or let the container be the boundary ("The container is the boundary" in docs/docker.md):', 'SVC_WEBUI_SANDBOX=container'
  ].join('\n')
}

const isOff = async (file: string, off: string): Promise<boolean> => (await readFile(file, 'utf8').catch(() => '')).trim() === off

const switchesOff = async (): Promise<string[]> =>
  (await Promise.all(switches.map(async ({ file, off, fix }) => await isOff(file, off) ? [fix] : []))).flat()

/** Returns what prevents user namespaces, according to the kernel's settings; null if nothing does. */
const userNamespaces = (fixes: readonly string[]): string | null =>
  fixes.length === 0 ? null : `Let bubblewrap make user namespaces:\n${fixes.join('\n')}`
