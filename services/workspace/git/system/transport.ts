import { Invalid } from '../../../ground/errors.js'
import { proxyVariables } from '../../../ground/proxy/outgoing.js'
import { tried } from '../../../ground/tried.js'
import { transportVariables } from '../environment.js'
import { gitText, runGit } from '../run.js'

/** The settings of the repository and the user that matter for talking to a remote. */
export interface TransportSettings {
  /** Configured values of all scopes by key (section and name in lower case). The last value counts. */
  values: ReadonlyMap<string, readonly string[]>
  /** For runGit: settings that make those of the repository harmless. */
  settings: string[]
  environment: Record<string, string>
}

/** Settings in a repository's `http` section that change neither whom git trusts nor what it reads or writes here. */
const harmlessHttp = new Set([
  'extraheader', 'postbuffer', 'lowspeedlimit', 'lowspeedtime', 'version', 'useragent', 'maxrequests', 'minsessions', 'maxrequestbuffer'
])
/** Settings of its remotes that name programs of this machine, or proxies. */
const foreignRemote = new Set(['vcs', 'proxy', 'proxyauthmethod'])
const batchMode = '-oBatchMode=yes -oConnectTimeout=20'

/**
 * Returns how git may talk to the remotes of a repository that is not trusted: by https, http, ssh and folders of this machine, without
 * prompts. The repository's credential helpers, ssh commands, proxies and remote helpers are not run; credentials come from the helpers
 * of the user's and the system's settings, or from the ssh agent. Throws Invalid (`git_failed`) for settings that cannot be overridden
 * and would weaken the user's own.
 */
export async function transportSettings (folder: string): Promise<TransportSettings> {
  const values = new Map<string, string[]>()
  const helpers: string[] = []
  let sshCommand: string | undefined
  for (const { scope, key, value } of await configured(folder)) {
    const before = values.get(key)
    if (before === undefined) values.set(key, [value])
    else before.push(value)
    if (scope === 'local' || scope === 'worktree') refuseForeign(key, value)
    else if (/^credential\.(?:.*\.)?helper$/s.test(key)) helpers.push(`${key}=${value}`)
    else if (key === 'core.sshcommand') sshCommand = value
  }
  return {
    values,
    settings: [
      // An empty helper clears the list of those before it.
      'credential.helper=', ...helpers,
      'credential.interactive=false', 'credential.protectProtocol=true', 'core.askPass=', 'core.gitProxy=', 'core.alternateRefsCommand=true',
      'push.gpgSign=false', 'push.recurseSubmodules=no', 'push.followTags=false', 'fetch.recurseSubmodules=false',
      'transfer.bundleURI=false', 'http.saveCookies=false'
    ],
    environment: {
      ...transportVariables(),
      ...proxyVariables(true),
      GIT_ALLOW_PROTOCOL: 'https:http:ssh:file',
      // Overrides the repository's core.sshCommand and ssh.variant.
      GIT_SSH_COMMAND: sshCommand === undefined
        ? `ssh ${batchMode}`
        : /(?:^|\/)ssh(?:\s|$)/.test(sshCommand) ? `${sshCommand} ${batchMode}` : sshCommand,
      GIT_SSH_VARIANT: sshCommand === undefined ? 'ssh' : 'auto'
    }
  }
}

async function configured (folder: string): Promise<Array<{ scope: string, key: string, value: string }>> {
  const listed = (await gitText(folder, ['config', '--list', '--show-scope', '--null'])).split('\0')
  return Array.from({ length: Math.floor(listed.length / 2) }, (_, index) => {
    const [scope = '', entry = ''] = listed.slice(2 * index, 2 * index + 2)
    const end = entry.indexOf('\n')
    // A key without a value means true.
    return { scope, key: end === -1 ? entry : entry.slice(0, end), value: end === -1 ? 'true' : entry.slice(end + 1) }
  })
}

function refuseForeign (key: string, value: string): void {
  const [section, name] = [key.slice(0, key.indexOf('.')), key.slice(key.lastIndexOf('.') + 1)]
  const isForeign = section === 'http'
    ? !harmlessHttp.has(name) && !(name === 'sslverify' && /^(?:true|yes|on|1)$/i.test(value))
    : section === 'remote' ? foreignRemote.has(name) : key === 'fetch.bundleuri'
  if (isForeign) {
    throw new Invalid(`The repository's own settings (${section}.${name}) change how git talks to its remotes, which this service does not allow. Set this in your own git configuration instead`, 'git_failed')
  }
}

export interface Address {
  /** Path of a folder on this machine, as in the address; null for everything that is reached over a network. */
  localPath: string | null
}

/** Interprets an address as git does. Throws Invalid (`git_failed`) for one that would run a program to get there. */
function addressOf (url: string): Address {
  if (/^(?:https?|ssh|git\+ssh|ssh\+git):\/\//i.test(url)) return { localPath: null }
  if (/^file:\/\//i.test(url)) {
    const path = url.replace(/^file:\/\/[^/]*/i, '')
    return tried(() => ({ localPath: decodeURIComponent(path) }), { localPath: path })
  }
  if (/^[A-Za-z0-9][A-Za-z0-9+.-]*:\/\//.test(url) || /^[A-Za-z0-9]+::/.test(url)) {
    throw new Invalid(
      `This service reaches remotes by https, http, ssh or as a folder, not by ${url.slice(0, url.indexOf(':')).slice(0, 20)}`, 'git_failed'
    )
  }
  // `host:path` is ssh unless a slash comes first.
  return { localPath: /^[^/]*:/.test(url) ? null : url }
}

/** Returns the addresses that git would use for a remote, after the rewriting rules of the user's and the repository's settings. */
export async function addressesOf (folder: string, remote: string, purpose: 'fetch' | 'push'): Promise<Address[]> {
  const flags = purpose === 'push' ? ['--push', '--all'] : []
  const outcome = await runGit(folder, ['remote', 'get-url', ...flags, '--', remote])
  if (outcome.exitCode !== 0) throw new Invalid(`The remote ${remote} has no address`, 'no_upstream')
  return outcome.stdout.toString().split('\n').filter((url) => url !== '').map(addressOf)
}
