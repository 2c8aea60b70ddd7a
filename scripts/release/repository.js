import { spawnSync } from 'node:child_process'

/** The address of the repository that a release is made from, for a browser; null: nobody has named one. Throws for what is none. */
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

/** Without user and password; null for what is not on the web, as a folder of this machine. */
function pageOf (remote) {
  const address = remote.replace(/^(?:ssh:\/\/)?(?:[^@/\s]+@)([\w.-]+)(?::\d+)?[:/](?=\w)/, 'https://$1/')
  if (!URL.canParse(address)) return null
  const { protocol, host, pathname } = new URL(address)
  const path = pathname.replace(/\/+$/, '').replace(/\.git$/, '')
  return protocol === 'https:' && /^\/[^/]+\/./.test(path) ? `https://${host}${path}` : null
}
