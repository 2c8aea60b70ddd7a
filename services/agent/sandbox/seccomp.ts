import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// A filter of system calls for bubblewrap, as the kernel takes it: instructions of classic BPF over `struct seccomp_data`.

type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, value: number]

/** `flags`: only where this argument has one of these bits; `bits`, `values`: only where this argument has one of them. */
interface Rule { call: number, errno: number, flags?: [argument: number, bits: number], bits?: [argument: number, bits: number], values?: [argument: number, ...values: number[]] }

interface Architecture { audit: number, rules: Rule[] }

const [load, isEqual, isAtLeast, hasBits, end] = [0x20, 0x15, 0x35, 0x45, 0x06]
const [callAt, archAt, argumentsAt] = [0, 4, 16]
const allow = 0x7fff0000
const refuse = (errno: number): number => 0x00050000 | errno
const [EPERM, ENOSYS, EAFNOSUPPORT] = [1, 38, 97]
const setUserBits = 0o6000
/** O_CREAT and O_TMPFILE: without them the argument with the mode means nothing. */
const makesFile = 0o20000100
/** Calls of the x32 ABI have this bit. */
const x32 = 0x40000000

/** Where calls have the same numbers everywhere: io_uring, and openat2, whose mode a filter cannot see. Programs do without them. */
const everywhere: Rule[] = [425, 426, 427, 437].map((call) => ({ call, errno: ENOSYS }))

interface Numbers { alone: number[], socket: number, ioctl: number, modes: Array<[call: number, argument: number]>, opens: Array<[call: number, flags: number, mode: number]> }

/**
 * What is refused: files with set-user or set-group bits, which would run as the service's user outside; typing into a terminal (TIOCSTI,
 * TIOCLINUX); sockets to the machine's host (AF_VSOCK); the keyring; bpf, userfaultfd and perf.
 */
const rulesFor = ({ alone, socket, ioctl, modes, opens }: Numbers): Rule[] => [
  ...alone.map((call) => ({ call, errno: EPERM })),
  { call: socket, errno: EAFNOSUPPORT, values: [0, 40] },
  { call: ioctl, errno: EPERM, values: [1, 0x5412, 0x541c] },
  ...modes.map(([call, argument]): Rule => ({ call, errno: EPERM, bits: [argument, setUserBits] })),
  ...opens.map(([call, flags, mode]): Rule => ({ call, errno: EPERM, flags: [flags, makesFile], bits: [mode, setUserBits] })),
  ...everywhere
]

const architectures: Partial<Record<NodeJS.Architecture, Architecture>> = {
  x64: {
    audit: 0xc000003e,
    // add_key, request_key, keyctl, perf_event_open, bpf, userfaultfd; chmod, fchmod, fchmodat, fchmodat2, creat, mknod, mknodat; open, openat
    rules: rulesFor({ alone: [248, 249, 250, 298, 321, 323], socket: 41, ioctl: 16, modes: [[90, 1], [91, 1], [268, 2], [452, 2], [85, 1], [133, 1], [259, 2]], opens: [[2, 1, 2], [257, 2, 3]] })
  },
  arm64: {
    audit: 0xc00000b7,
    // The same calls; of those with a path only the newer ones are there.
    rules: rulesFor({ alone: [217, 218, 219, 241, 280, 282], socket: 198, ioctl: 29, modes: [[52, 1], [53, 2], [452, 2], [33, 2]], opens: [[56, 2, 3]] })
  }
}

/** The filter for a processor; null where there is none. */
export function seccompProgram (arch: NodeJS.Architecture = process.arch): Buffer | null {
  const known = architectures[arch]
  if (known === undefined) return null
  const program: Instruction[] = [
    // Another ABI numbers its calls in another way, so that none of them could be told.
    [load, 0, 0, archAt], [isEqual, 1, 0, known.audit], [end, 0, 0, refuse(ENOSYS)],
    [load, 0, 0, callAt], [isAtLeast, 0, 1, x32], [end, 0, 0, refuse(ENOSYS)],
    ...known.rules.flatMap(instructionsOf),
    [end, 0, 0, allow]
  ]
  const bytes = Buffer.alloc(program.length * 8)
  program.forEach(([code, ifTrue, ifFalse, value], index) => {
    bytes.writeUInt16LE(code, index * 8)
    bytes.writeUInt8(ifTrue, index * 8 + 2)
    bytes.writeUInt8(ifFalse, index * 8 + 3)
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4)
  })
  return bytes
}

/** The number of the call is loaded before and after; whatever does not fit goes on behind. */
function instructionsOf ({ call, errno, flags, bits, values = [0] }: Rule): Instruction[] {
  const refusal: Instruction = [end, 0, 0, refuse(errno)]
  const [argument, ...wanted] = values
  const checks: Instruction[] = []
  if (bits !== undefined) checks.push(at(bits[0]), [hasBits, 0, 1, bits[1]], refusal)
  for (const value of wanted) checks.push(at(argument), [isEqual, 0, 1, value], refusal)
  if (flags !== undefined) checks.unshift(at(flags[0]), [hasBits, 0, checks.length, flags[1]])
  const body: Instruction[] = checks.length === 0 ? [refusal] : [...checks, [load, 0, 0, callAt]]
  return [[isEqual, 0, body.length, call], ...body]
}

/** The lower half of an argument, which is all that these calls look at. */
const at = (argument: number): Instruction => [load, 0, 0, argumentsAt + 8 * argument]

let written: string | null = null

/** A file with the filter, in a folder that confined commands do not see; null where there is none for this processor. */
export function seccompFile (): string | null {
  if (written !== null && existsSync(written)) return written
  const program = seccompProgram()
  if (program === null) return null
  const folder = mkdtempSync(join(tmpdir(), 'agent-filter-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  written = join(folder, 'calls.bpf')
  writeFileSync(written, program, { mode: 0o400 })
  return written
}
