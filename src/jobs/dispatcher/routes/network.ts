/** Routes that show who is connected. */
import { z } from 'zod'
import { listModels } from '../identities/listModels.ts'
import { listOperators } from '../network.ts'
import { modelEntry, operatorEntry, success } from '../schemas.ts'
import { accessOfReaders, readerOf, refusals, type App, type RouteContext } from './context.ts'

/** Adds the routes. */
export function addNetworkRoutes(app: App, context: RouteContext): void {
  app.route({
    method: 'GET',
    url: '/api/operators',
    schema: {
      operationId: 'listOperators',
      access: accessOfReaders(context),
      summary: 'Connected operators.',
      response: { 200: success(z.array(operatorEntry)), ...refusals },
    },
    handler: async (request) => {
      await readerOf(context, request)
      return { code: 200 as const, result: await listOperators(context.sql) }
    },
  })

  app.route({
    method: 'GET',
    url: '/api/models',
    schema: {
      operationId: 'listModelsServed',
      access: accessOfReaders(context),
      summary: 'Models served by connected operators, and the files behind their names.',
      response: { 200: success(z.array(modelEntry)), ...refusals },
    },
    handler: async (request) => {
      await readerOf(context, request)
      return { code: 200 as const, result: await listModels(context.sql) }
    },
  })
}
