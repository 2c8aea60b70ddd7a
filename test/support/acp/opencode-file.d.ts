import { type DatabaseSync } from 'node:sqlite'

export function openCodeFile (home: string): {
  file: string
  db: DatabaseSync
  session (id: string, more: Record<string, string | number | null>): void
  put (session: string, role: 'user' | 'assistant', text: string, more?: { parent?: string, isOpen?: boolean, parts?: object[] }): string
  finish (id: string): void
  said (session: string): string[]
}
