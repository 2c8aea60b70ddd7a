import t from '#test'
import { outputFlow, OutputPieces } from '../../services/agent/engines/output-pieces.js'
import { type OutputPiece } from '../../services/agent/protocol.js'
import { CallOutputs } from '../../services/areas/chat/call-outputs.js'
import { addOutput, type CallOutput } from '../../web/src/core/turn/call-output.js'

/** Returns a generator of the same numbers in every run. */
function numbers (seed: number): (below: number) => number {
  return (below) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31
    return Math.floor(seed / 2 ** 31 * below)
  }
}

const shownOf = (pieces: readonly OutputPiece[]): CallOutput => pieces.reduce<CallOutput | null>(
  (output, { text, leftOutBytes }) => addOutput(output, { text, left_out_bytes: leftOutBytes }), null) ?? { head: '', leftOutBytes: 0, tail: '' }

const sizeOf = (pieces: readonly OutputPiece[]): number => pieces.reduce((bytes, { text }) => bytes + outputFlow.pieceBytes + Buffer.byteLength(JSON.stringify(text)), 0)

/** A program prints chunks, and its output is read every quarter of a second. */
function told (chunks: Iterable<Buffer>, chunksPerLook: number): { pieces: OutputPiece[], looks: number } {
  const output = new OutputPieces(0)
  const pieces: OutputPiece[] = []
  let looks = 0
  let held = 0
  for (const chunk of chunks) {
    output.push(chunk)
    if (++held < chunksPerLook) continue
    held = 0
    pieces.push(...output.take(++looks * 250.37))
  }
  pieces.push(...output.take(++looks * 250.37))
  return { pieces, looks }
}

t.test('however it is cut, a short output is told as it was printed, each byte once', async (t) => {
  const text = 'Zeile eins 🚀 größer\r\n\u001b[31mrot\u001b[0m 你好 10 %\r20 %\r\n'.repeat(20)
  const bytes = Buffer.from(text)
  const wrong: number[] = []
  for (let seed = 1; seed <= 200; seed++) {
    const random = numbers(seed)
    const chunks: Buffer[] = []
    for (let at = 0; at < bytes.length;) chunks.push(bytes.subarray(at, at += 1 + random(seed % 2 === 0 ? 3 : 300)))
    const { pieces } = told(chunks, 1 + random(chunks.length))
    if (pieces.some(({ text }) => text.includes('\uFFFD')) || shownOf(pieces).head !== text) wrong.push(seed)
  }
  t.same(wrong, [])
})

t.test('of what never ends, the beginning and the newest lines are told, and never more than there is room for', async (t) => {
  const line = (index: number): string => `line ${index} ${'·'.repeat(index % 60)}\n`
  for (let seed = 1; seed <= 12; seed++) {
    const random = numbers(seed)
    let printed = ''
    function * program (): Generator<Buffer> {
      for (let index = 0, rest = ''; printed.length < 4_000_000; index++) {
        rest += line(index)
        if (rest.length < 20_000) continue
        printed += rest
        yield Buffer.from(rest)
        rest = ''
      }
    }
    const { pieces, looks } = told(program(), 1 + random(3))
    const { head, tail, leftOutBytes } = shownOf(pieces)
    t.ok(sizeOf(pieces) <= outputFlow.burstBytes + looks / 4 * outputFlow.bytesPerS + outputFlow.mostTailBytes * 2, `${sizeOf(pieces)} bytes in ${looks} looks`)
    t.ok(pieces.every(({ leftOutBytes }) => Number.isSafeInteger(leftOutBytes) && leftOutBytes >= 0))
    t.ok(pieces.every(({ text }) => Buffer.byteLength(text) <= outputFlow.mostAtOnceBytes), 'none takes long to be looked through')
    t.ok(printed.startsWith(head) && head.length > 20_000)
    t.match(tail, /^line \d+ /, 'the end begins with a line')
    const at = Buffer.byteLength(head) + leftOutBytes
    t.equal(Buffer.from(printed).subarray(at, at + Buffer.byteLength(tail)).toString(), tail, 'it stands where it says')
  }
})

t.test('what comes slowly goes on behind the newest end', async (t) => {
  const output = new OutputPieces(0)
  output.push(Buffer.from(('fast '.repeat(16) + '\n').repeat(3_000)))
  const pieces: OutputPiece[] = []
  for (let looks = 1; output.hasNews; looks++) pieces.push(...output.take(looks * 250))
  t.ok(shownOf(pieces).leftOutBytes > 100_000)
  let nowMs = 60_000
  for (let index = 0; index < 100; index++) {
    output.push(Buffer.from(`slow ${index}\n`))
    pieces.push(...output.take(nowMs += 2_000))
  }
  const { tail } = shownOf(pieces)
  t.ok(tail.startsWith('fast ') && tail.endsWith(Array.from({ length: 100 }, (_, index) => `slow ${index}\n`).join('')))
})

t.test('when there is no room it waits for some, and says how long', async (t) => {
  const output = new OutputPieces(0)
  const flood = Buffer.from('all work and no play\n'.repeat(10_000))
  let nowMs = 0
  for (let looks = 0; looks < 40; looks++) {
    output.push(flood)
    output.take(nowMs += 250)
  }
  output.push(flood)
  t.same(output.take(nowMs), [])
  t.ok(output.waitMs > 250 && output.waitMs < 10_000, `${output.waitMs}`)
  t.equal(output.take(nowMs + output.waitMs).length, 1)
})

t.test('a line without an end is counted, not told; neither is the middle of a key', async (t) => {
  const output = new OutputPieces(0)
  let nowMs = 0
  const take = (): OutputPiece[] => {
    const pieces: OutputPiece[] = []
    do pieces.push(...output.take(nowMs += 10_000)); while (output.hasNews)
    return pieces
  }
  output.push(Buffer.alloc(200_000, 'QUJD'))
  const first = shownOf(take())
  t.equal(first.tail, '')
  output.push(Buffer.from('QUJD and no secret\n'))
  const [second] = take()
  t.equal(second!.text, '', 'its end is a part of it')
  output.push(Buffer.from(`${'noise\n'.repeat(40_000)}-----BEGIN PRIVATE KEY-----\n${`${'MIIEvQIBADANBgkq'.repeat(4)}\r\n`.repeat(90)}MIIE`))
  t.equal(take().at(-1)!.text, '')
  output.push(Buffer.from('vQ==\n-----END PRIVATE KEY-----\nafter it\n'))
  t.equal(take().at(-1)!.text, '-----END PRIVATE KEY-----\nafter it\n')
})

t.test('bytes that are no text, and NUL, do no harm', async (t) => {
  const { pieces } = told([Buffer.from([0xff, 0xfe, 0x41, 0xc3]), Buffer.from([0xa4, 0, 0, 0x42, 7, 1, 0xe2, 0x82])], 1)
  t.equal(shownOf(pieces).head, '\uFFFD\uFFFDAä\nB\u0007')
  const random = numbers(7)
  const { pieces: garbage } = told(Array.from({ length: 200 }, () => Buffer.from(Array.from({ length: 500 }, () => random(256)))), 3)
  t.ok(garbage.length > 0)
})

t.test('credentials are masked, however they are cut, and nothing of one is told at a gap', async (t) => {
  const key = `sk-${'proj'}-${'Ab3dEf6hIj9lMn2pQr5tUv8xYz1Bc4De'}`
  const text = `start\nexport OPENAI_API_KEY=\u001b[32m${key}\u001b[0m\r\nexit\n`
  for (let size = 1; size < 40; size++) {
    const outputs = new CallOutputs(() => true)
    const frames = []
    for (let at = 0; at < text.length; at += size) frames.push(...outputs.say({ t: 'tool_output', runId: 'r', id: 'c', text: text.slice(at, at + size), leftOutBytes: 0 }))
    const said = frames.map(({ data }) => JSON.parse(data).text).join('')
    if (said.includes(key.slice(0, 12)) || !said.includes('[redacted]') || !said.startsWith('start\nexport OPENAI_API_KEY=')) return t.fail(`pieces of ${size}: ${said}`)
  }
  const outputs = new CallOutputs(() => true)
  const say = (text: string, leftOutBytes = 0): string => outputs.say({ t: 'tool_output', runId: 'r', id: 'c', text, leftOutBytes }).map(({ data }) => JSON.parse(data).text).join('')
  t.notMatch(say(`here: ${key.slice(0, 20)}`) + say('behind the gap\n', 5_000), key.slice(0, 8))
  t.equal(new CallOutputs(() => false).say({ t: 'tool_output', runId: 'r', id: 'c', text: key, leftOutBytes: 0 }).length, 1, 'unless the settings say otherwise')
})
