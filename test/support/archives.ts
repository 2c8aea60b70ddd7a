import { crc32, deflateRawSync } from 'node:zlib'
import { pack } from 'tar-stream'

export interface ZipMember {
  name: string
  content?: string | Uint8Array
  /** Unix type and permission bits. */
  mode?: number
  deflate?: boolean
  /** What the archive falsely claims. */
  says?: { size?: number, packed?: number, flags?: number, method?: number, localName?: string, offset?: number, crc?: number }
}

/** Builds a zip file byte by byte, so that it can be wrong in every way. */
export function zipOf (members: ZipMember[]): Buffer {
  const local: Buffer[] = []
  const central: Buffer[] = []
  let offset = 0
  for (const { name, content = '', mode = 0o100644, deflate = true, says = {} } of members) {
    const bytes = Buffer.from(content)
    const packed = deflate ? deflateRawSync(bytes) : bytes
    const fields = (): Buffer => {
      const part = Buffer.alloc(26)
      part.writeUInt16LE(20, 0)
      part.writeUInt16LE(0x800 | (says.flags ?? 0), 2)
      part.writeUInt16LE(says.method ?? (deflate ? 8 : 0), 4)
      part.writeUInt32LE(says.crc ?? crc32(bytes), 10)
      part.writeUInt32LE(says.packed ?? packed.length, 14)
      part.writeUInt32LE(says.size ?? bytes.length, 18)
      return part
    }
    const nameBytes = Buffer.from(name)
    const localName = Buffer.from(says.localName ?? name)
    const head = fields()
    head.writeUInt16LE(localName.length, 22)
    const entry = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), head, localName, packed])
    const directory = Buffer.alloc(46)
    directory.write('PK\x01\x02', 'latin1')
    directory.writeUInt16LE((3 << 8) | 20, 4)
    fields().copy(directory, 6, 0, 22)
    directory.writeUInt16LE(nameBytes.length, 28)
    directory.writeUInt32LE((mode << 16) >>> 0, 38)
    directory.writeUInt32LE(says.offset ?? offset, 42)
    central.push(directory, nameBytes)
    local.push(entry)
    offset += entry.length
  }
  const directory = Buffer.concat(central)
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06', 'latin1')
  end.writeUInt16LE(members.length, 8)
  end.writeUInt16LE(members.length, 10)
  end.writeUInt32LE(directory.length, 12)
  end.writeUInt32LE(offset, 16)
  return Buffer.concat([...local, directory, end])
}

export interface TarMember {
  name: string
  content?: string
  type?: 'file' | 'link' | 'symlink' | 'directory' | 'block-device' | 'character-device' | 'fifo' | 'contiguous-file'
  linkname?: string
  mode?: number
  mtime?: Date
}

export async function tarOf (members: TarMember[]): Promise<Buffer> {
  const packing = pack()
  for (const { content = '', type = 'file', ...header } of members) {
    if (type === 'file') packing.entry({ ...header, type }, content)
    else packing.entry({ ...header, type, size: 0 })
  }
  packing.finalize()
  const chunks: Buffer[] = []
  for await (const chunk of packing as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks)
}
