import { stringify } from 'yaml'

declare module '../workers/index.js' {
  interface Tasks { writeYaml: typeof writeYaml }
}

/** Returns a plain value as YAML. Runs as a worker task, because it takes a second for the OpenAPI document. */
export function writeYaml (value: object): string {
  return stringify(value, { strict: false })
}
