import { readdirSync, readFileSync } from 'node:fs'
import { startEndpoint, startService, residentMib } from './processes.js'
import { hearTurn, newSessions } from './turns.js'
const [entry, count = '20', words = '200', ...nodeOptions] = process.argv.slice(2)
const cpu = (pid: number) => readdirSync(`/proc/${pid}/task`).reduce((a, t) => { try { return a + Number(readFileSync(`/proc/${pid}/task/${t}/schedstat`, 'utf8').split(' ')[0]) / 1e6 } catch { return a } }, 0)
const endpoint = await startEndpoint(50)
const service = await startService({ home: '/tmp/speed/home', entry, modelUrl: endpoint.url, nodeOptions })
const host = await service.hostPid()
const first = await hearTurn(service.url, (await newSessions(service.url, 1))[0]!, 'words=5')
console.log('first turn ms', (first.firstMs - first.startedMs).toFixed(0))
const ids = await newSessions(service.url, Number(count))
const a = [cpu(service.pid), cpu(host)]
const heard = await Promise.all(ids.map(async (id) => await hearTurn(service.url, id, `words=${words}`)))
const b = [cpu(service.pid), cpu(host)]
const tokens = heard.reduce((s, h) => s + h.delaysMs.length, 0)
const d = heard.flatMap((h) => h.delaysMs).sort((x, y) => x - y)
console.log(entry, 'us/token web', ((b[0]! - a[0]!) / tokens * 1000).toFixed(0), 'host', ((b[1]! - a[1]!) / tokens * 1000).toFixed(0), 'tokens', tokens, 'delay p50', d[d.length >> 1]!.toFixed(1), 'p99', d[Math.floor(d.length * 0.99)]!.toFixed(1), 'rss', residentMib(service.pid).toFixed(0), residentMib(host).toFixed(0))
await service.stop(); endpoint.stop(); process.exit(0)
