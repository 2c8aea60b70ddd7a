import { readFile } from 'node:fs/promises'
import { findSandbox, type SandboxStatus } from '../../../agent/index.js'
import { type Check, type Finding, ok, warning } from '../check.js'

export interface SandboxOptions { isOn: boolean, env: { PATH?: string, HOME?: string } }

/** Lets one program make user namespaces, and leaves the restriction on for all others. */
const profile = "printf '%s\\n' 'abi <abi/4.0>,' 'include <tunables/global>' " +
  "'profile bwrap /usr/bin/bwrap flags=(unconfined) { userns, }' | sudo tee /etc/apparmor.d/bwrap\n" +
  'sudo apparmor_parser -r /etc/apparmor.d/bwrap'
const set = (setting: string): string => `echo '${setting}' | sudo tee -a /etc/sysctl.d/60-agent.conf && sudo sysctl --system`

const switches = [
  { file: '/proc/sys/kernel/unprivileged_userns_clone', off: '0', fix: set('kernel.unprivileged_userns_clone=1') },
  { file: '/proc/sys/kernel/apparmor_restrict_unprivileged_userns', off: '1', fix: profile },
  { file: '/proc/sys/user/max_user_namespaces', off: '0', fix: set('user.max_user_namespaces=15000') }
]

/** Runs a command in a sandbox. */
export function sandboxCheck ({ isOn, env }: SandboxOptions): Check {
  return {
    id: 'sandbox',
    group: 'agent',
    title: 'Sandbox for commands',
    limitMs: 12_000,
    async run () {
      if (!isOn) {
        return warning(
          'The sandbox is switched off: every command of the agent runs as the user of the service, and asks for approval.',
          'Remove SVC_WEBUI_SANDBOX from the environment, or terminal.sandbox from config.yaml.'
        )
      }
      return await judge(await findSandbox(env))
    }
  }
}

async function judge (status: SandboxStatus): Promise<Finding> {
  if (status.available) {
    return ok(`A command ran in a bubblewrap ${status.version} sandbox${status.filters === false ? ', without a filter of system calls' : ''}.`)
  }
  const fix = /not installed/.test(status.reason)
    ? 'Install bubblewrap:\nsudo apt-get install bubblewrap'
    : await userNamespaces() ?? '"The sandbox for commands" in docs/operations.md says what bubblewrap needs.'
  return warning(`Every command of the agent asks for approval, because ${status.reason}.`, fix)
}

/** What keeps user namespaces from being made, as far as the kernel says so. */
async function userNamespaces (): Promise<string | null> {
  const fixes = await Promise.all(switches.map(async ({ file, off, fix }) =>
    (await readFile(file, 'utf8').catch(() => '')).trim() === off ? [fix] : []))
  return fixes.flat().length === 0
    ? null
    : `Let bubblewrap make user namespaces:\n${fixes.flat().join('\n')}`
}
