/** A syslog server, as `udp://host:514`, `tcp://host:601` or `tls://host:6514`. */
export interface SyslogServer { transport: 'udp' | 'tcp' | 'tls', host: string, port: number }

const defaultPorts = { udp: 514, tcp: 601, tls: 6514 }

/** Parses the address of a syslog server; null if it is invalid. */
export function readSyslog (address: string): SyslogServer | null {
  const [, transport, ipv6, name, port] = /^(udp|tcp|tls):\/\/(?:\[([0-9a-f:.]+)\]|([^\s:/?#@[\]]+))(?::(\d{1,5}))?\/?$/i.exec(address) ?? []
  const host = ipv6 ?? name
  if (transport === undefined || host === undefined) return null
  const kind = transport.toLowerCase() as SyslogServer['transport']
  const number = port === undefined ? defaultPorts[kind] : Number(port)
  return number >= 1 && number <= 65_535 ? { transport: kind, host, port: number } : null
}
