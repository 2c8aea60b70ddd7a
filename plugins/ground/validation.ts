import { Ajv, type ValidateFunction } from 'ajv'
import { type FastifyInstance, type FastifySchemaCompiler } from 'fastify'
import fp from 'fastify-plugin'

interface Validator {
  (value: unknown): boolean
  errors?: ValidateFunction['errors']
}

/**
 * Validates requests against the routes' schemas. All mistakes are reported at once; types are not coerced, and nothing that a client sends
 * is dropped or refused for being unknown. A schema is compiled when it is first needed, so that the start of the service does not wait for
 * those of all routes. The schemas are our own, and the tests of the document check them against their standard: done here, that would cost
 * the first request a tenth of a second.
 */
export default fp(async (app: FastifyInstance) => {
  const ajv = new Ajv({
    allErrors: true, useDefaults: true, coerceTypes: false, removeAdditional: false, strict: false, meta: false, validateSchema: false
  })

  const compile: FastifySchemaCompiler<object> = ({ schema, method, url }) => {
    let compiled: ValidateFunction | undefined
    app.compileAhead({ method, url }, () => { compiled ??= ajv.compile(schema) })
    const validate: Validator = (value) => {
      compiled ??= ajv.compile(schema)
      const isValid = compiled(value)
      validate.errors = compiled.errors
      return isValid
    }
    return validate
  }
  app.setValidatorCompiler(compile)
}, { name: 'validation', dependencies: ['warming'] })
