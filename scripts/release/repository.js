import { spawnSync } from 'node:child_process'

/** Returns the web address of the repository that a release is made from; null if none is named. Throws if the named one is not valid. */
export function findRepository (named, environment = process.env) {
  const { RELEASE_REPOSITORY: chosen, GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository } = environment
  const ofWorkflow = server === undefined || repository === undefined ? undefined : `${server}/${repository}`
  const written = named ?? chosen ?? ofWorkflow
  if (written === undefined) return pageOf(origin())
  const page = pageOf(written)
  if (page === null) throw new Error(`"${written}" is not the address of a repository, such as https://github.com/owner/name`)
  return page
}

function origin () {
  const { status, stdout } = spawnSync('git', ['remote', 'get-url', 'origin'], { encoding: 'utf8' })
  return status === 0 ? stdout.trim() : ''
}

/** Returns an address without user and password; null for a remote that is not on the web, such as a folder of this machine. */
function pageOf (remote) {
  const address = remote.replace(/^(?:ssh:\/\/)?(?:[^@/\s]+@)([\w.-]+)(?::\d+)?[:/](?=\w)/, 'https://$1/')
  if (!URL.canParse(address)) return null
  const { protocol, host, pathname } = new URL(address)
  const path = pathname.replace(/\/+$/, '').replace(/\.git$/, '')
  return protocol === 'https:' && /^\/[^/]+\/./.test(path) ? `https://${host}${path}` : null
}
