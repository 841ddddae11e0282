/** Keeps a fault in one part of the page from taking the rest with it. */
import { Component, type ReactNode } from 'react'
import { oneLine } from '../format/text.ts'

type Props = { readonly children: ReactNode }
type State = { readonly fault: string | undefined }

export class Boundary extends Component<Props, State> {
  override state: State = { fault: undefined }

  static getDerivedStateFromError(error: unknown): State {
    return { fault: error instanceof Error ? error.message : String(error) }
  }

  override render(): ReactNode {
    const { fault } = this.state
    if (fault === undefined) return this.props.children
    return (
      <section className="card notice notice-bad" role="alert">
        <h2>This part could not be displayed</h2>
        <p>{oneLine(fault, 300)}</p>
      </section>
    )
  }
}
