/** The pages on which a person reads what is new. */
export interface Links { repoUrl: string | null, compareUrl: string | null }

const shortForm = /^(?:[^@/\s]+@)?([A-Za-z0-9.-]+):(?!\/\/)([^\s]+)$/

/**
 * Returns addresses for a browser, derived from that of a remote: without user, password and query; null for folders of this machine. A
 * comparison needs two different commits. Pure.
 */
export function linksTo (remoteUrl: string | null, from: string | null, to: string | null): Links {
  const repoUrl = remoteUrl === null ? null : pageOf(remoteUrl)
  if (repoUrl === null || from === null || to === null || from === to) return { repoUrl, compareUrl: null }
  const between = new URL(repoUrl).hostname.includes('gitlab') ? '/-/compare/' : '/compare/'
  return { repoUrl, compareUrl: `${repoUrl}${between}${from}...${to}` }
}

function pageOf (remoteUrl: string): string | null {
  if (!remoteUrl.includes('://')) {
    const [, host, path] = shortForm.exec(remoteUrl) ?? []
    return host === undefined || path === undefined ? null : page('https:', host, path)
  }
  if (!URL.canParse(remoteUrl)) return null
  const { protocol, host, hostname, pathname } = new URL(remoteUrl)
  if (protocol === 'http:' || protocol === 'https:') return page(protocol, host, pathname)
  return protocol === 'ssh:' || protocol === 'git+ssh:' ? page('https:', hostname, pathname) : null
}

function page (protocol: string, host: string, path: string): string | null {
  const name = path.replace(/^\/+|\/+$/g, '').replace(/\.git$/, '')
  const address = `${protocol}//${host}/${name}`
  return name === '' || !URL.canParse(address) ? null : new URL(address).href.replace(/[?#].*$/s, '')
}
