// Where oxlint and editors look for its rules.
export { default } from './oxlint.config.js'
