// oxlint and editors look for the rules in this file.
export { default } from './oxlint.config.js'
