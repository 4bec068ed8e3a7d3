print("plotted")
