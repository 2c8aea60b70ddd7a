import { execFileSync, spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { type TestLike } from './app.js'

export interface GitServer {
  /** Returns the address of a repository in the folder. */
  url (name: string, login?: string): string
  /** Accepted logins, as `name:password`; null: everyone. */
  admit: string | null
  /** Answers every request with this status instead. */
  refuse: number | null
  /** `Authorization` of each request. */
  seen: Array<string | undefined>
}

/** Serves the bare repositories of a folder with `git http-backend`, as a forge does, and accepts pushes. */
export async function startGitServer (t: TestLike, folder: string): Promise<GitServer> {
  const backend = join(execFileSync('git', ['--exec-path']).toString().trim(), 'git-http-backend')
  const server = createServer((request, response) => {
    self.seen.push(request.headers.authorization)
    const login = self.admit === null ? null : `Basic ${Buffer.from(self.admit).toString('base64')}`
    if (self.refuse !== null) response.writeHead(self.refuse).end('refused')
    else if (login !== null && request.headers.authorization !== login) response.writeHead(401, { 'www-authenticate': 'Basic realm="git"' }).end()
    else passOn(request, response)
  })

  function passOn (request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://server')
    const child = spawn(backend, {
      stdio: ['pipe', 'pipe', 'ignore'],
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        GIT_PROJECT_ROOT: folder,
        GIT_HTTP_EXPORT_ALL: '1',
        PATH_INFO: decodeURIComponent(url.pathname),
        QUERY_STRING: url.search.slice(1),
        REQUEST_METHOD: request.method,
        CONTENT_TYPE: request.headers['content-type'] ?? '',
        REMOTE_USER: 'tester',
        REMOTE_ADDR: '127.0.0.1',
        ...(request.headers['content-length'] === undefined ? {} : { CONTENT_LENGTH: request.headers['content-length'] }),
        ...(request.headers['content-encoding'] === undefined ? {} : { HTTP_CONTENT_ENCODING: request.headers['content-encoding'] }),
        ...(request.headers['git-protocol'] === undefined ? {} : { GIT_PROTOCOL: String(request.headers['git-protocol']) })
      }
    })
    child.stdin.on('error', () => {})
    request.pipe(child.stdin)
    let head = Buffer.alloc(0)
    let begun = false
    child.stdout.on('data', (chunk: Buffer) => {
      if (begun) return response.write(chunk)
      head = Buffer.concat([head, chunk])
      const end = head.indexOf('\r\n\r\n')
      if (end === -1) return
      begun = true
      const headers = head.toString('latin1', 0, end).split('\r\n').map((line) => /^([^:]+): ?(.*)$/.exec(line)!)
      for (const [, name, value] of headers) if (name !== 'Status') response.setHeader(name!, value!)
      response.writeHead(Number.parseInt(headers.find(([, name]) => name === 'Status')?.[2] ?? '200'))
      response.write(head.subarray(end + 4))
    })
    child.on('close', () => response.end())
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const self: GitServer = { url: (name, login) => `http://${login === undefined ? '' : `${login}@`}127.0.0.1:${port}/${name}`, admit: null, refuse: null, seen: [] }
  return self
}
