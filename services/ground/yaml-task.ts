import { stringify } from 'yaml'

declare module './workers/index.js' {
  interface Tasks { writeYaml: typeof writeYaml }
}

/** A plain value as YAML, which takes a second for the OpenAPI document. */
export function writeYaml (value: object): string {
  return stringify(value, { strict: false })
}
