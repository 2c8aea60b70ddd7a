import { commandLine } from '../command-line.js'
import { codeOf } from '../errors.js'
import { hostPortText } from './host-port.js'

/** Thrown if the service cannot listen on its address. The message says why, and what to do. */
export class CannotListen extends Error {}

/** Returns an error that says in words why the service cannot listen on its address; any other error is returned as it is. */
export function explainListenError (error: unknown, { host, port }: { host: string, port: number }): unknown {
  const where = hostPortText({ host, port })
  const code = codeOf(error)
  if (code === 'EADDRINUSE') {
    const another = port === 65_535 ? 8_787 : port + 1
    return new CannotListen(`Another program already listens on ${where}, perhaps this service itself. Stop it (\`ss -ltnp 'sport = :${port}'\` names it), or choose another port: SVC_WEBUI_PORT=${another}, or ${commandLine(`start --port ${another}`)} (EADDRINUSE)`)
  }
  if (code === 'EACCES') {
    return new CannotListen(`This user may not listen on ${where}. Ports below 1024 are reserved: choose another one with SVC_WEBUI_PORT, such as 8787, and use a reverse proxy`)
  }
  if (code === 'EADDRNOTAVAIL') {
    return new CannotListen(
      `This machine has no address ${host}. Set SVC_WEBUI_HOST to one of its addresses: 127.0.0.1 for this machine only, 0.0.0.0 for all its addresses`
    )
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return new CannotListen(
      `The name ${host} leads to no address. Set SVC_WEBUI_HOST to an address of this machine: 127.0.0.1 for this machine only, 0.0.0.0 for all its addresses`
    )
  }
  return error
}
