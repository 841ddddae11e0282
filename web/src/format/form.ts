/** Fields of forms. */

/** The text of a field; '' where there is none. */
export function fieldOf(form: FormData, name: string): string {
  const value = form.get(name)
  return typeof value === 'string' ? value : ''
}
