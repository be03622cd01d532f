/** What a window shows. What cannot be shown says so here, and to the agents. */
import type { wire } from "@dwell/client";
import { Component, type ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { ArtifactBody } from "../../artifacts/body.tsx";
import { Chart } from "../../kit/chart.tsx";
import { Markdown } from "../../kit/markdown.tsx";
import { Notice } from "../../kit/pieces.tsx";
import { Table } from "../../kit/table.tsx";
import { AppFrame } from "./app-frame.tsx";
import { Html } from "./html.tsx";
import { Layout } from "./layout.tsx";
import "./content.css";

type Props = { window: wire.Window; onFail: (error: string) => void };

/** The content of a window, drawn anew only when it changes: a window that is moved shows the same. */
export class Content extends Component<Props, { error?: string | undefined }> {
  override state: { error?: string | undefined } = {};

  override shouldComponentUpdate(next: Props, state: { error?: string | undefined }): boolean {
    const { window } = this.props;
    return (
      next.window.content !== window.content ||
      next.window.title !== window.title ||
      next.window.app?.token !== window.app?.token ||
      state.error !== this.state.error
    );
  }

  override componentDidCatch(error: unknown): void {
    const words = error instanceof Error ? error.message : String(error);
    this.setState({ error: words });
    this.props.onFail(words);
  }

  override componentDidUpdate(before: Props): void {
    // Something else may well be shown.
    const isOther = before.window.content !== this.props.window.content;
    if (isOther && this.state.error !== undefined) this.setState({ error: undefined });
  }

  override render(): ComponentChildren {
    const { error } = this.state;
    if (error === undefined) return <Shown window={this.props.window} />;
    return (
      <div class="desk-pad">
        <Notice tone="warning" role="status">
          <p>This window cannot be shown.</p>
          <p class="hint">{error}. The agent has been told; ask it to show it in another way.</p>
        </Notice>
      </div>
    );
  }
}

function Shown({ window }: { window: wire.Window }) {
  const { content, title } = window;
  switch (content.type) {
    case "markdown":
      return (
        <div class="desk-pad">
          <Markdown text={content.text} />
        </div>
      );
    case "text":
      return <pre class="desk-pad desk-text">{content.text}</pre>;
    case "html":
      return <Html html={content.html} />;
    case "table":
      return <Table columns={content.columns} rows={content.rows} title={title} />;
    case "chart":
      return <Drawn content={content} title={title} />;
    case "components":
      return <Layout windowId={window.window_id} columns={content.columns ?? 1} components={content.components} />;
    case "artifact":
      return <ArtifactBody artifact={content} />;
    case "app":
      return <AppFrame window={window} app={content.app} params={content.params} />;
    default:
      throw new Error(`This page does not know how to show ${String((content as { type: unknown }).type)}`);
  }
}

/** Room for what stands around the lines of a chart: its legend and the edge of the window. */
const AROUND = 80;
const DRAWN_MIN = 140;

/** A chart as high as its window lets it be. */
function Drawn({ content, title }: { content: Extract<wire.Content, { type: "chart" }>; title: string }) {
  const box = useRef<HTMLDivElement>(null);
  const [height, setHeight] = useState(240);
  useEffect(() => {
    const { current } = box;
    if (!current) return;
    const observer = new ResizeObserver(() => setHeight(Math.max(DRAWN_MIN, current.clientHeight - AROUND)));
    observer.observe(current);
    return () => observer.disconnect();
  }, []);
  return (
    <div class="desk-chart" ref={box}>
      <Chart kind={content.kind} labels={content.labels} series={content.series} title={title} height={height} />
    </div>
  );
}
